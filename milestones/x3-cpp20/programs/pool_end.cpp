// pool_end.cpp - a pool's destructor finishes what is queued, what that starts, and what sleeps.
#include "corolab/thread_pool.hpp"

#include <atomic>
#include <iostream>

using corolab::static_thread_pool;
using corolab::Task;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

static Task<> sleeper(static_thread_pool &pool, std::atomic<int> &ended)
{
    co_await pool.sleep_for(50ms);
    ended++;
}

static Task<> starts_a_sleeper(static_thread_pool &pool, std::atomic<int> &ended)
{
    co_await pool.yield();
    pool.schedule(sleeper(pool, ended));
    ended++;
}

int main()
{
    std::atomic<int> ended = 0;
    const auto begin = steady::now();

    {
        static_thread_pool pool{2};

        for (int i = 0; i < 50; i++) {
            pool.schedule(starts_a_sleeper(pool, ended));
        }
    }
    std::cout << ended << " have ended\n";
    return steady::now() - begin >= 50ms ? 0 : 1;
}
