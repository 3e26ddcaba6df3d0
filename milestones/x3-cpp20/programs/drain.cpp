// drain.cpp - a run goes on until nothing is left, though coroutines add work while it runs.
#include "corolab.hpp"

#include <iostream>

static corolab::Task<> count(int &counter)
{
    counter++;
    co_await corolab::yield();
    counter++;
}

static corolab::Task<> spawn_another(int &counter)
{
    corolab::Scheduler::instance().spawn(count(counter));
    co_return;
}

int main()
{
    corolab::Scheduler s;
    int counter = 0;

    s.spawn(count(counter));
    s.spawn(spawn_another(counter));
    std::cout << "has work: " << s.has_work() << '\n';
    s.run();
    std::cout << "counter: " << counter << '\n' << "has work: " << s.has_work() << '\n';
}
