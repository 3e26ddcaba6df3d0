// sync.cpp - mutex and latch of x1, on virtual time.
#include "cpp_test.hpp"

#include "corolab/sync.hpp"

using corolab::async_mutex;
using corolab::Scheduler;
using corolab::Task;
using corolab::VirtualClock;
using test::expect;
using test::expect_throw;
using test::expect_true;
using namespace std::chrono_literals;

static Task<> hold(async_mutex &m, std::string &order, int id)
{
    const auto held = co_await m.lock();

    order += std::to_string(id) + " ";
    co_await corolab::sleep_for(10ms);
}

TEST(holders_of_a_mutex_come_one_after_the_other)
{
    VirtualClock clock;
    async_mutex m;
    std::string order;
    Scheduler s{Scheduler::fifo, clock};

    for (int id = 0; id < 5; id++) {
        s.spawn(hold(m, order, id));
    }
    expect(s.run(), 0, "waiting for ever");
    expect(order, "0 1 2 3 4 ", "order");
    expect_true(s.now() == 50ms, "it takes 50 ms");
}

static Task<> sleep(int &ended)
{
    co_await corolab::sleep_for(100ms);
    ended++;
}

TEST(who_waits_for_a_mutex_holds_up_nobody)
{
    VirtualClock clock;
    async_mutex m;
    std::string order;
    int ended = 0;
    Scheduler s{Scheduler::fifo, clock};

    for (int id = 0; id < 5; id++) {
        s.spawn(hold(m, order, id));
        s.spawn(sleep(ended));
    }
    s.run();
    expect(order, "0 1 2 3 4 ", "order");
    expect(ended, 5, "sleepers that have ended");
    expect_true(s.now() == 100ms, "all together take 100 ms");
}

static Task<> fails_while_it_holds(async_mutex &m)
{
    const auto held = co_await m.lock();

    co_await corolab::yield();
    throw std::runtime_error("with the lock held");
}

TEST(an_exception_unlocks)
{
    VirtualClock clock;
    async_mutex m;
    std::string order;
    Scheduler s{Scheduler::fifo, clock};

    expect_throw<std::runtime_error>([&] { s.block_on(fails_while_it_holds(m)); });
    s.spawn(hold(m, order, 1));
    expect(s.run(), 0, "waiting for ever");
    expect(order, "1 ", "who has got it");
}

TEST(a_destroyed_holder_unlocks)
{
    VirtualClock clock;
    async_mutex m;
    std::string order;
    Scheduler s{Scheduler::fifo, clock};
    auto first = fails_while_it_holds(m);

    s.start(first);
    s.spawn(hold(m, order, 1));
    s.block_on(hold(m, order, 2));
    expect(order, "1 2 ", "who came after the one that failed");
    expect_throw<std::runtime_error>([&] { first.get(); });

    auto destroyed = hold(m, order, 3);
    s.start(destroyed);
    s.spawn(hold(m, order, 4));
    s.block_on([]() -> Task<> { co_await corolab::yield(); }());
    destroyed = {};
    expect(s.run(), 0, "waiting for ever");
    expect(order, "1 2 3 4 ", "who came after the one that was destroyed");
}

static Task<> wait_for(corolab::latch &l, int &passed)
{
    co_await l.wait();
    passed++;
}

TEST(a_latch_opens_for_all)
{
    corolab::latch l{2};
    int passed = 0;
    Scheduler s;

    s.spawn(wait_for(l, passed));
    s.spawn(wait_for(l, passed));
    expect(s.run(), 2, "waiting");
    l.count_down();
    expect(s.run(), 2, "waiting after the first count_down");
    expect(passed, 0, "passed");
    l.count_down();
    expect(s.run(), 0, "waiting after the second");
    expect(passed, 2, "passed");

    auto late = wait_for(l, passed);
    late.resume();
    expect(late.done(), true, "a late one does not suspend");
    expect(expect_throw<corolab::error>([&] { l.count_down(); }).code(), -EINVAL, "below zero");
}

TEST(count_down_by_several)
{
    corolab::latch l{3};
    int passed = 0;
    Scheduler s;

    s.spawn(wait_for(l, passed));
    s.run();
    l.count_down(3);
    expect(s.run(), 0, "waiting for ever");
    expect(passed, 1, "passed");
}
