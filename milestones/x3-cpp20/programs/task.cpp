// task.cpp - a task by hand, without a scheduler: it is lazy; one resume runs it; get gives the value, or the
// error, as often as it is asked.
#include "corolab.hpp"

#include <iostream>
#include <stdexcept>

static corolab::Task<int> answer()
{
    std::cout << "it runs\n";
    co_return 42;
}

static corolab::Task<> nothing()
{
    co_return;
}

static corolab::Task<int> failing()
{
    throw std::runtime_error("it failed");
    co_return 0;
}

static void show_error(corolab::Task<int> &ended)
{
    try {
        std::cout << ended.get() << '\n';
    } catch (const std::runtime_error &thrown) {
        std::cout << "error: " << thrown.what() << '\n';
    }
}

int main()
{
    auto value = answer();
    auto no_value = nothing();
    auto error = failing();

    std::cout << "made\n";
    value.resume();
    std::cout << "value: " << value.get() << '\n';
    no_value.resume();
    no_value.get();
    std::cout << "no value\n";
    error.resume();
    std::cout << "the resume reports nothing\n";
    show_error(error);
    show_error(error);
}
