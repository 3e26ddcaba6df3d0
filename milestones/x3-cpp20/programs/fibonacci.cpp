// fibonacci.cpp - a task that awaits itself twice, smaller: driven by this thread, and then by a pool.
#include "corolab.hpp"
#include "corolab/thread_pool.hpp"

#include <iostream>

static corolab::Task<int> fibonacci(int n)
{
    if (n < 2) {
        co_return n;
    }
    // Two statements, and not one sum of two awaits: then it is plain which is first.
    const int before = co_await fibonacci(n - 2);
    const int last = co_await fibonacci(n - 1);

    co_return before + last;
}

int main()
{
    corolab::static_thread_pool pool{2};

    std::cout << corolab::Scheduler::instance().block_on(fibonacci(5)) << '\n';
    std::cout << pool.get(fibonacci(5)) << '\n';
}
