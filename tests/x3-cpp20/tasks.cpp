// tasks.cpp - Task<T> without a scheduler: lazy, one owner, any T.
#include "cpp_test.hpp"

#include <memory>

using corolab::Task;
using test::counted;
using test::expect;
using test::expect_throw;
using test::expect_true;

static Task<int> forty_two()
{
    co_return 42;
}

TEST(a_value_after_one_resume)
{
    auto t = forty_two();

    t.resume();
    expect(t.done(), true, "done");
    expect(t.get(), 42, "get");
    expect(t.get(), 42, "get, again");
}

static Task<> nothing()
{
    co_return;
}

TEST(no_value_after_one_resume)
{
    auto t = nothing();

    t.resume();
    t.get();
    expect(t.done(), true, "done");
}

static Task<int> failing()
{
    throw std::runtime_error("it failed");
    co_return 0;
}

TEST(an_error_comes_out_of_get_and_not_of_resume)
{
    const auto lost_before = ::task_lost_errors();
    auto t = failing();

    t.resume();
    for (int i = 0; i < 2; i++) {
        auto thrown = expect_throw<std::runtime_error>([&] { t.get(); });

        expect(std::string{thrown.what()}, "it failed", "what");
    }
    expect(::task_lost_errors(), lost_before, "lost errors");
}

static Task<> mark(bool &has_run)
{
    has_run = true;
    co_return;
}

TEST(a_task_is_lazy)
{
    bool has_run = false;
    auto t = mark(has_run);

    expect(has_run, false, "has run");
    expect(t.done(), false, "done");
    expect(expect_throw<corolab::error>([&] { t.get(); }).code(), -EAGAIN, "get before the end");
}

TEST(an_ended_task_is_not_resumed)
{
    auto t = nothing();

    t.resume();
    expect(expect_throw<corolab::error>([&] { t.resume(); }).code(), -EINVAL, "resume");
}

TEST(ownership_moves)
{
    auto from = forty_two();
    auto to = std::move(from);

    // NOLINTNEXTLINE(bugprone-use-after-move)
    expect(static_cast<bool>(from), false, "the old owner has it");
    to.resume();
    expect(to.get(), 42, "the new owner's value");
    to = forty_two();
    expect(to.done(), false, "it has another one now");
}

static Task<counted> hold(counted argument)
{
    counted local;

    co_await ::co_suspend_always();
    (void)argument;
    co_return local;
}

TEST(argument_local_and_result_are_destroyed_once)
{
    {
        auto t = hold(counted{});

        expect(counted::alive, 1, "its argument");
        t.resume();
        expect(counted::alive, 2, "and its local");
        t.resume();
        expect(counted::alive, 2, "its argument and its result");
    }
    expect(counted::alive, 0, "alive after the end");
    {
        auto t = hold(counted{});

        t.resume();
    }
    expect(counted::alive, 0, "alive after it was destroyed in the middle");
    {
        auto never_begun = hold(counted{});
    }
    expect(counted::alive, 0, "alive after it was destroyed before it began");
}

static Task<std::unique_ptr<int>> pointer()
{
    co_return std::make_unique<int>(7);
}

TEST(a_result_may_be_move_only)
{
    auto t = pointer();

    t.resume();
    std::unique_ptr<int> taken = std::move(t).get();
    expect(*taken, 7, "value");
}

static int global = 1;
static Task<int &> reference()
{
    co_return global;
}

TEST(a_result_may_be_a_reference)
{
    auto t = reference();

    t.resume();
    t.get() = 5;
    expect(global, 5, "what it refers to");
}

struct no_default {
    explicit no_default(int i) : value(i)
    {
    }
    int value;
};
static Task<no_default> without_default()
{
    co_return no_default{3};
}

TEST(a_result_needs_no_default_constructor)
{
    auto t = without_default();

    t.resume();
    expect(t.get().value, 3, "value");
}

static Task<std::string> in_braces()
{
    co_return {'x', 'y'};
}

TEST(co_return_takes_braces)
{
    auto t = in_braces();

    t.resume();
    expect(t.get(), "xy", "value");
}

// A name for an argument is no name for the task: see promise::get_return_object.
static Task<int> named(const char *text, const char *, int line)
{
    co_return text[0] + line;
}

TEST(arguments_do_not_reach_the_promise)
{
    auto t = named("A", "B", 1);

    expect(std::string{t.borrow()->name}, "named", "name");
    t.resume();
    expect(t.get(), 'B', "value");
}

struct counter {
    int count = 0;

    Task<int> next()
    {
        co_return ++count;
    }
};

TEST(a_member_function_may_be_a_coroutine)
{
    counter c;
    auto t = c.next();

    t.resume();
    expect(t.get(), 1, "value");
}

TEST(a_lost_error_is_reported_once)
{
    int reported = 0;

    ::task_set_error_handler(
        [](const ::task *, const co_error *error, void *context) {
            expect(error->code, corolab::exception_code, "its code");
            ++*static_cast<int *>(context);
        },
        &reported);
    {
        auto t = failing();

        t.resume();
    }
    ::task_set_error_handler(nullptr, nullptr);
    expect(reported, 1, "reported");
}
