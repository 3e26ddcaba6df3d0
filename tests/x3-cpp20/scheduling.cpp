// scheduling.cpp - C++ coroutines on the scheduler of C, beside coroutines of C.
#include "cpp_test.hpp"

#include "c_side.h"

#include <cstdlib>

using corolab::Scheduler;
using corolab::Task;
using test::counted;
using test::expect;
using test::expect_throw;
using test::expect_true;

static Task<> step(std::string &log, char name, int times)
{
    for (int i = 0; i < times; i++) {
        log += name;
        co_await corolab::yield();
    }
}

TEST(who_yields_goes_to_the_end)
{
    std::string log;
    Scheduler s;

    s.spawn(step(log, 'A', 3));
    s.spawn(step(log, 'B', 3));
    s.spawn(step(log, 'C', 3));
    expect(log, "", "before the run");
    expect(s.run(), 0, "waiting for ever");
    expect(log, "ABCABCABC", "order");
    expect(s.has_work(), false, "has work");
}

static Task<> drained(Scheduler &s, int &counter)
{
    counter++;
    co_await s.yield();
    counter++;
}

TEST(a_run_drains_the_queue)
{
    int counter = 0;
    Scheduler s;

    s.spawn(drained(s, counter));
    s.spawn(drained(s, counter));
    expect(s.has_work(), true, "has work before");
    s.run();
    expect(counter, 4, "counter");
    expect(s.has_work(), false, "has work after");
}

TEST(c_and_cpp_take_turns)
{
    char c_log[16] = "";
    std::string log;
    Scheduler s;

    expect(::scheduler_spawn(s.c_scheduler(), c_printer(s.c_scheduler(), 'c', c_log)), 0, "spawn");
    s.spawn(step(log, 'p', 3));
    s.run();
    expect(std::string{c_log}, "ccc", "C's");
    expect(log, "ppp", "C++'s");
}

static Task<int> slow(int value)
{
    co_await corolab::yield();
    co_return value;
}

// What `t` returns to C. The loop is entered by s.run(), for the C++ coroutines below ask instance().
static intptr_t value_for_c(::task *t)
{
    intptr_t value = 0;
    Scheduler s;

    expect(::scheduler_start(s.c_scheduler(), t), 0, "start");
    expect(s.run(), 0, "waiting for ever");
    expect(::task_get(t, &value), 0, "get");
    expect(::task_destroy(t), 0, "destroy");
    return value;
}

TEST(c_awaits_cpp)
{
    expect(value_for_c(c_adder(slow(41).c_task())), 42, "value");
}

static Task<intptr_t> awaits_c_that_awaits_cpp()
{
    co_return co_await ::task_await(c_adder(c_adder(slow(40).c_task())));
}

TEST(cpp_awaits_c_awaits_cpp)
{
    Scheduler s;

    expect(s.block_on(awaits_c_that_awaits_cpp()), 42, "value");
}

static Task<int &> refer(int &to)
{
    co_await corolab::yield();
    co_return to;
}

TEST(a_reference_reaches_c_as_a_pointer)
{
    int target = 3;
    const intptr_t value = value_for_c(refer(target).c_task());

    expect_true(reinterpret_cast<int *>(value) == &target, "it is where the referent is");
}

static Task<> logged(std::string &log, std::string name, Task<int> child)
{
    log += name + "1 ";
    const int value = co_await std::move(child);

    log += name + std::to_string(value) + " ";
}

static Task<int> child_of(std::string &log, int value)
{
    log += "child ";
    co_return value;
}

TEST(an_awaited_child_goes_to_the_end_of_the_queue)
{
    std::string log;
    Scheduler s;

    s.spawn(logged(log, "a", child_of(log, 2)));
    s.spawn(step(log, 'o', 1));
    s.run();
    expect(log, "a1 ochild a2 ", "order");
}

static Task<> starts_then_awaits(std::string &log)
{
    auto child = child_of(log, 3);

    log += "1 ";
    Scheduler::instance().start(child);
    log += "2 ";
    log += std::to_string(co_await std::move(child));
}

TEST(a_started_child_runs_beside_its_parent)
{
    std::string log;
    Scheduler s;

    s.spawn(starts_then_awaits(log));
    s.run();
    expect(log, "1 2 child 3", "order");
}

static Task<int> depth(int n)
{
    if (n == 0) {
        co_return 0;
    }
    const int below = co_await depth(n - 1);

    co_return below + 1;
}

TEST(a_chain_of_awaits_uses_constant_stack)
{
    Scheduler s;

    expect(s.block_on(depth(100'000)), 100'000, "depth");
}

constexpr int inner_await = __LINE__ + 6, outer_await = inner_await + 2;
static Task<> wait_below(int n)
{
    const counted local;

    if (n == 0) {
        co_await ::co_suspend_always();
    } else {
        co_await wait_below(n - 1);
    }
}

TEST(a_deep_chain_is_destroyed_in_constant_stack)
{
    {
        Scheduler s;

        s.spawn(wait_below(100'000));
        expect(s.run(), 100'001, "waiting for ever");
        expect(counted::alive, 100'001, "alive");
    }
    expect(counted::alive, 0, "alive after");
}

TEST(a_dead_lock_is_reported_by_name_and_line)
{
    Scheduler s;
    char *text = nullptr;
    std::size_t size = 0;
    std::FILE *out = open_memstream(&text, &size);

    s.spawn(wait_below(1));
    expect(s.run(), 2, "waiting for ever");
    s.report(out);
    (void)std::fclose(out);
    const std::string report{text, size};
    std::free(text);
    expect_true(report.find("'wait_below' is suspended at ") != std::string::npos, "its name");
    const auto line = [](int number) { return "scheduling.cpp:" + std::to_string(number); };
    expect_true(report.find(line(outer_await) + " in task 'wait_below'") != std::string::npos,
                "the line of the await, and whom it awaits");
    expect_true(report.find(line(inner_await) + " in suspend_always") != std::string::npos,
                "the line of the inner await, and what it awaits");
}

TEST(block_on_a_dead_lock_throws)
{
    Scheduler s;
    auto thrown = expect_throw<corolab::error>([&] { s.block_on(wait_below(0)); });

    expect(thrown.code(), -EDEADLK, "code");
    expect(counted::alive, 0, "alive");
    expect(s.run(), 0, "waiting for ever");
}

static Task<> blocks_inside(Scheduler &s, int &code)
{
    code = expect_throw<corolab::error>([&] { s.block_on(slow(1)); }).code();
    co_return;
}

TEST(block_on_inside_a_coroutine_is_refused)
{
    int code = 0;
    Scheduler s;

    s.block_on(blocks_inside(s, code));
    expect(code, -EBUSY, "code");
}

static Task<int> awaits_nothing()
{
    co_return co_await Task<int>{};
}

TEST(an_empty_task_is_refused)
{
    Scheduler s;

    expect(expect_throw<corolab::error>([&] { s.block_on(awaits_nothing()); }).code(), -ENOMEM,
           "awaited");
    expect(expect_throw<corolab::error>([&] { s.spawn(Task<int>{}); }).code(), -ENOMEM, "spawned");
    expect(expect_throw<corolab::error>([&] { s.block_on(Task<int>{}); }).code(), -ENOMEM,
           "blocked on");
}

struct two_tasks {
    Task<> first, second;
};
static Task<> awaits_itself(two_tasks &both, int &code)
{
    try {
        co_await std::move(both.first);
    } catch (const corolab::error &refused) {
        code = refused.code();
    }
}

TEST(who_awaits_itself_is_refused_and_keeps_its_owner)
{
    int code = 0;
    two_tasks both;
    Scheduler s;

    both.first = awaits_itself(both, code);
    s.start(both.first);
    expect(s.run(), 0, "waiting for ever");
    expect(code, -EDEADLK, "code");
    expect(static_cast<bool>(both.first), true, "the task is its owner's as before");
    expect(both.first.done(), true, "done");
}

static Task<int> by_hand()
{
    co_return co_await slow(1);
}

TEST(without_an_executor_an_await_is_refused)
{
    auto t = by_hand();

    t.resume();
    expect(expect_throw<corolab::error>([&] { t.get(); }).code(), -EINVAL, "code");
}

static Task<int> forty_two()
{
    co_return 42;
}

static Task<int> with_ended_child(Task<int> child)
{
    co_return co_await std::move(child);
}

TEST(an_ended_child_does_not_suspend)
{
    auto child = forty_two();

    child.resume();
    auto t = with_ended_child(std::move(child));

    t.resume();
    expect(t.get(), 42, "value, without any scheduler");
}

TEST(a_waiting_task_can_be_destroyed)
{
    Scheduler s;
    {
        auto t = wait_below(3);

        s.start(t);
        expect(s.run(), 4, "waiting for ever");
    }
    expect(counted::alive, 0, "alive");
    expect(s.run(), 0, "waiting for ever");
}

TEST(a_task_may_outlive_its_scheduler)
{
    auto t = wait_below(1);
    {
        Scheduler s;

        s.start(t);
        s.run();
    }
    expect(counted::alive, 2, "alive");
    t = {};
    expect(counted::alive, 0, "alive after");
}

static Task<bool> runs_on(Scheduler &s)
{
    co_await corolab::yield();
    co_return &Scheduler::instance() == &s;
}

TEST(instance_is_the_one_that_runs)
{
    Scheduler &own = Scheduler::instance();
    Scheduler s;

    expect(s.block_on(runs_on(s)), true, "inside, it is that one");
    expect_true(&Scheduler::instance() == &own, "outside, it is the thread's own");
    expect(own.block_on(runs_on(own)), true, "and that runs, too");
}
