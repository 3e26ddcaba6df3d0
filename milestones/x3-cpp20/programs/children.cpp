// children.cpp - a task adds another one to the queue in the middle: first a scheduler that takes who came
// last, then one that takes who came first.
#include "corolab.hpp"

#include <iostream>

static corolab::Task<> child()
{
    std::cout << " C1";
    co_await corolab::yield();
    std::cout << " C2";
}

static corolab::Task<> parent()
{
    std::cout << " P1";
    corolab::Scheduler::instance().spawn(child());
    co_await corolab::yield();
    std::cout << " P2";
    co_await corolab::yield();
    std::cout << " P3";
}

static void show(const char *name, scheduler_policy policy)
{
    corolab::Scheduler s{policy};

    std::cout << name;
    s.spawn(parent());
    s.run();
    std::cout << '\n';
}

int main()
{
    show("LIFO:", corolab::Scheduler::lifo);
    show("FIFO:", corolab::Scheduler::fifo);
}
