// fifo.cpp - who came first is next: TaskA and TaskB take turns.
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
    corolab::Scheduler s{corolab::Scheduler::fifo};

    std::cout << "\nStart scheduling...\n";
    s.spawn(say_hello('A'));
    s.spawn(say_hello('B'));
    s.run();
    std::cout << '\n';
}
