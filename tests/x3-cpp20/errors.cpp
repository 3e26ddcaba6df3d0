// errors.cpp - exceptions and co_errors, in both directions.
#include "cpp_test.hpp"

#include "c_side.h"

using corolab::Scheduler;
using corolab::Task;
using test::counted;
using test::expect;
using test::expect_throw;
using test::expect_true;

constexpr int last_await_of_throwing = __LINE__ + 3;
template <class Exception> static Task<int> throwing(Exception exception)
{
    co_await corolab::yield();
    throw exception;
    co_return 0;
}

static Task<std::string> catches()
{
    try {
        co_await throwing(std::runtime_error("of the child"));
    } catch (const std::runtime_error &thrown) {
        co_return thrown.what();
    }
    co_return "nothing was thrown";
}

TEST(an_exception_comes_out_at_co_await)
{
    Scheduler s;

    expect(s.block_on(catches()), "of the child", "caught");
}

static Task<int> passes_on(counted argument)
{
    counted local;
    const int value = co_await throwing(std::logic_error("deep down"));

    (void)argument;
    co_return value;
}

TEST(an_exception_that_nobody_catches_ends_all_the_way_up)
{
    const auto lost_before = ::task_lost_errors();

    {
        Scheduler s;
        auto thrown = expect_throw<std::logic_error>([&] { s.block_on(passes_on(counted{})); });

        expect(std::string{thrown.what()}, "deep down", "what");
    }
    expect(counted::alive, 0, "alive");
    expect(::task_lost_errors(), lost_before, "lost errors");
}

// What a C parent sees of it.
static co_error seen_by_c(::task *child)
{
    Scheduler s;
    co_error seen = co_error_at(0, nullptr, nullptr, 0);

    expect(::scheduler_spawn(s.c_scheduler(), c_catcher(child, &seen)), 0, "spawn");
    expect(s.run(), 0, "waiting for ever");
    return seen;
}

TEST(c_sees_an_exception_as_a_co_error)
{
    auto text = std::make_unique<std::string>("a text that is gone by now");
    auto failed = throwing(std::runtime_error(*text));

    text.reset();
    const co_error seen = seen_by_c(std::move(failed).c_task());
    expect(seen.code, corolab::exception_code, "code");
    expect(std::string{seen.what}, "a text that is gone by now", "what");
    expect_true(std::string{seen.file}.ends_with("errors.cpp"), "the file is this one");
    expect(seen.line, last_await_of_throwing, "the line of its last await");
}

TEST(c_sees_errno_where_there_is_one)
{
    const std::system_error refused{ECONNREFUSED, std::generic_category()};

    expect(seen_by_c(throwing(refused).c_task()).code, -ECONNREFUSED, "of a system_error");
    expect(seen_by_c(throwing(std::bad_alloc{}).c_task()).code, -ENOMEM, "of a bad_alloc");
    expect(seen_by_c(throwing(7).c_task()).code, corolab::exception_code, "of an int");
}

TEST(a_corolab_error_passes_c_unchanged)
{
    const co_error seen =
        seen_by_c(throwing(corolab::error(-71, "literal", "there.c", 5)).c_task());

    expect(seen.code, -71, "code");
    expect(std::string{seen.what}, "literal", "what");
    expect(std::string{seen.file}, "there.c", "file");
    expect(seen.line, 5, "line");
}

static Task<> awaits_c()
{
    (void)co_await ::task_await(c_thrower());
}

TEST(a_co_error_is_thrown_as_an_exception)
{
    Scheduler s;
    auto thrown = expect_throw<corolab::error>([&] { s.block_on(awaits_c()); });

    expect(thrown.code(), -42, "code");
    expect(std::string{thrown.what()}, "thrown in C", "what");
    expect_true(std::string{thrown.file()}.ends_with("c_side.c"),
                "the file is where it was thrown");
    expect(thrown.line(), c_thrower_line, "line");
}

// C++ awaits C awaits C++ throws.
static Task<> through_c()
{
    (void)co_await ::task_await(c_adder(throwing(std::runtime_error("from below")).c_task()));
}

TEST(an_exception_goes_through_c)
{
    Scheduler s;
    auto thrown = expect_throw<corolab::error>([&] { s.block_on(through_c()); });

    expect(std::string{thrown.what()}, "from below", "what");
    expect(thrown.code(), corolab::exception_code, "code");
}

TEST(a_spawned_tasks_error_is_reported_when_nobody_takes_it)
{
    const auto before = ::task_lost_errors();
    Scheduler s;

    ::task_set_error_handler([](const ::task *, const co_error *, void *) {}, nullptr);
    s.spawn(throwing(std::runtime_error("nobody awaits it")));
    expect(s.run(), 0, "waiting for ever");
    ::task_set_error_handler(nullptr, nullptr);
    expect(::task_lost_errors(), before + 1, "lost errors");
}

TEST(texts_are_kept_up_to_a_number)
{
    for (std::size_t i = 0; i < corolab::detail::most_texts; i++) {
        (void)corolab::detail::keep_text(std::to_string(i).c_str());
    }
    expect(std::string{corolab::detail::keep_text("one too many")}, "a C++ exception", "text");
    expect(std::string{corolab::detail::keep_text("3")}, "3", "a text that is there");
}
