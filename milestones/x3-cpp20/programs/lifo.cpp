// lifo.cpp - who came last is next: TaskB runs to its end before TaskA begins.
#include "corolab.hpp"

#include <iostream>

static corolab::Task<> say_hello(char id)
{
    std::cout << "Hello from Task" << id << '\n';
    co_await corolab::yield();
    std::cout << "Executing the Task" << id << '\n';
    co_await corolab::yield();
    std::cout << "Task" << id << " is finished\n";
}

int main()
{
    corolab::Scheduler s{corolab::Scheduler::lifo};

    std::cout << "\nStart scheduling...\n";
    s.spawn(say_hello('A'));
    s.spawn(say_hello('B'));
    s.run();
    std::cout << '\n';
}
