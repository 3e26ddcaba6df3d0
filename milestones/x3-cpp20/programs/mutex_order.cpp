// mutex_order.cpp - a mutex that suspends the coroutine and not the thread: of five that hold it for 10 ms, who
// came first is first; and five that sleep for 100 ms are not held up by them. All on one worker.
#include "corolab/sync.hpp"
#include "corolab/thread_pool.hpp"

#include <iostream>
#include <string>
#include <vector>

using corolab::async_mutex;
using corolab::static_thread_pool;
using corolab::Task;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

static Task<> hold(static_thread_pool &pool, async_mutex &m, std::string &order, int id)
{
    const auto held = co_await m.lock(); // until the end of this scope

    order += order.empty() ? "" : " ";
    order += std::to_string(id);
    co_await pool.sleep_for(10ms);
}

static Task<> sleep(static_thread_pool &pool)
{
    co_await pool.sleep_for(100ms);
}

static Task<std::string> five_holders(static_thread_pool &pool, int sleepers)
{
    async_mutex m;
    std::string order;
    std::vector<Task<>> tasks;

    for (int id = 0; id < 5; id++) {
        tasks.push_back(hold(pool, m, order, id));
    }
    for (int i = 0; i < sleepers; i++) {
        tasks.push_back(sleep(pool));
    }
    for (auto &one : tasks) {
        pool.parallel(one);
    }
    for (auto &one : tasks) {
        co_await pool.join(std::move(one));
    }
    co_return order;
}

static bool takes(std::chrono::milliseconds expected, int sleepers)
{
    static_thread_pool pool{1};
    const auto begin = steady::now();

    std::cout << pool.get(five_holders(pool, sleepers)) << '\n';
    const auto taken = steady::now() - begin;
    return taken >= expected && taken < 10s;
}

int main()
{
    const bool in_50_ms = takes(50ms, 0), in_100_ms = takes(100ms, 5);

    return in_50_ms && in_100_ms ? 0 : 1;
}
