// three_workers.cpp - a main task awaits three workers, one after the other; each awaits an addition that
// takes 300 ms. The clock is virtual, so it takes no time.
#include "corolab.hpp"

#include <iostream>
#include <string>

using namespace std::chrono_literals;

static corolab::Task<int> add(int a, int b)
{
    co_await corolab::sleep_for(300ms);
    co_return a + b;
}

static corolab::Task<> worker(std::string name, int a, int b)
{
    const int sum = co_await add(a, b);

    std::cout << name << ": " << a << " + " << b << " = " << sum << '\n';
}

static corolab::Task<> main_task()
{
    co_await worker("TaskA", 1, 2);
    co_await worker("TaskB", 3, 4);
    co_await worker("TaskC", 5, 6);
}

int main()
{
    corolab::VirtualClock clock;
    corolab::Scheduler s{corolab::Scheduler::fifo, clock};

    s.block_on(main_task());
    return s.now() == 900ms ? 0 : 1;
}
