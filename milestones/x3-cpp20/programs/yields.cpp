// yields.cpp - two tasks take turns.
#include "corolab.hpp"

#include <iostream>

static corolab::Task<> worker(int id)
{
    for (int step = 0; step < 3; step++) {
        std::cout << id << '-' << step << '\n';
        co_await corolab::yield();
    }
}

int main()
{
    corolab::Scheduler s;

    s.spawn(worker(1));
    s.spawn(worker(2));
    s.run();
    return s.has_work() ? 1 : 0;
}
