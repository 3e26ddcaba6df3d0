// sleeping.cpp - the timers of C, with std::chrono. On virtual time, but for one case.
#include "cpp_test.hpp"

using corolab::Scheduler;
using corolab::Task;
using corolab::VirtualClock;
using test::expect;
using test::expect_throw;
using test::expect_true;
using namespace std::chrono_literals;

static Task<> sleeper(std::string &log, int id, std::chrono::milliseconds duration)
{
    log += std::to_string(id) + "-start ";
    co_await corolab::sleep_for(duration);
    log += std::to_string(id) + "-end ";
}

TEST(two_sleeps_overlap)
{
    VirtualClock clock;
    std::string log;
    Scheduler s{Scheduler::fifo, clock};

    s.spawn(sleeper(log, 1, 50ms));
    s.spawn(sleeper(log, 2, 50ms));
    s.run();
    expect(log, "1-start 2-start 1-end 2-end ", "order");
    expect_true(s.now() == 50ms, "together they take 50 ms");
}

TEST(the_shortest_sleep_ends_first)
{
    VirtualClock clock;
    std::string log;
    Scheduler s{Scheduler::fifo, clock};

    s.spawn(sleeper(log, 1, 50ms));
    s.spawn(sleeper(log, 2, 20ms));
    s.spawn(sleeper(log, 3, 30ms));
    s.run();
    expect(log, "1-start 2-start 3-start 2-end 3-end 1-end ", "order");
}

TEST(on_the_systems_clock_a_sleep_is_never_too_short)
{
    std::string log;
    Scheduler s;
    const auto begin = std::chrono::steady_clock::now();

    s.spawn(sleeper(log, 1, 50ms));
    s.spawn(sleeper(log, 2, 50ms));
    s.run();
    const auto took = std::chrono::steady_clock::now() - begin;
    expect_true(took >= 50ms, "it takes 50 ms at least");
    expect_true(took < 10s, "and not for ever");
}

static Task<> sleeps_twice(corolab::clock::time_point &end)
{
    const auto begin = corolab::clock::now();

    co_await corolab::sleep_until(begin + 2s);
    co_await corolab::sleep_until(begin + 1s); // over: a yield
    end = corolab::clock::now();
}

TEST(sleep_until_a_time_point)
{
    VirtualClock clock{5s};
    corolab::clock::time_point end;
    Scheduler s{Scheduler::fifo, clock};

    s.block_on(sleeps_twice(end));
    expect_true(end.time_since_epoch() == 7s, "it ends at 7 s");
}

static Task<> fraction()
{
    co_await corolab::sleep_for(std::chrono::duration<double, std::nano>{0.25});
}

TEST(a_duration_is_rounded_up)
{
    VirtualClock clock;
    Scheduler s{Scheduler::fifo, clock};

    s.block_on(fraction());
    expect_true(s.now() == 1ns, "a quarter of a nanosecond takes a whole one");
}

TEST(a_sleeper_is_destroyed_with_its_scheduler)
{
    VirtualClock clock;
    std::string log;
    {
        Scheduler s{Scheduler::fifo, clock};
        auto never = sleeper(log, 1, 1h);

        s.start(never);
        s.spawn(sleeper(log, 2, 1h));
    }
    expect(log, "", "it never ran");
}

// The value of a sleep that fails is an error, and thrown: nothing could be done with it.
static Task<> sleeps_by_hand()
{
    co_await corolab::sleep_for(1ms);
}

TEST(a_sleep_without_an_executor_throws)
{
    auto t = sleeps_by_hand();

    t.resume();
    auto thrown = expect_throw<corolab::error>([&] { t.get(); });
    expect(thrown.code(), -EINVAL, "code");
    expect(std::string{thrown.what()}, "sleep", "what");
}
