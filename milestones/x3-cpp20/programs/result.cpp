// result.cpp - a task gives its value through `co_await`.
#include "corolab.hpp"

#include <iostream>

static corolab::Task<int> worker(int a, int b)
{
    co_return a + b;
}

static corolab::Task<> print_result()
{
    std::cout << "Result from coroutine: " << co_await worker(1, 2) << '\n';
}

int main()
{
    corolab::Scheduler::instance().block_on(print_result());
}
