// slow_responses.cpp - three subtasks that *block* their thread for 1 s each: one worker needs 3 s for them, two
// need 2 s, three need 1 s. It ends with 1 if it was faster than that, or more than 1.9 s slower.
#include "corolab/thread_pool.hpp"

#include <iostream>
#include <thread>
#include <vector>

using corolab::static_thread_pool;
using corolab::Task;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

static Task<int> slow_response()
{
    std::this_thread::sleep_for(1s);
    co_return 1;
}

static Task<int> sum_of_three(static_thread_pool &pool)
{
    std::vector<Task<int>> responses;
    int sum = 0;

    for (int i = 0; i < 3; i++) {
        responses.push_back(slow_response());
        pool.parallel(responses.back());
    }
    for (auto &one : responses) {
        sum += co_await pool.join(std::move(one));
    }
    co_return sum;
}

static bool takes(std::chrono::seconds expected, std::size_t workers)
{
    static_thread_pool pool{workers};
    const auto begin = steady::now();

    std::cout << "workers: " << workers << ", value: " << pool.get(sum_of_three(pool)) << '\n';
    const auto taken = steady::now() - begin;
    return taken >= expected && taken < expected + 1900ms;
}

int main()
{
    bool as_promised = takes(3s, 1);

    as_promised = takes(2s, 2) && as_promised;
    as_promised = takes(1s, 3) && as_promised;
    return as_promised ? 0 : 1;
}
