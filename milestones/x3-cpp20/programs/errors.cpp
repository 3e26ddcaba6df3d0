// errors.cpp - an error comes out at co_await, and at get(); the task that failed is destroyed once, with its
// frame and its arguments.
#include "corolab/thread_pool.hpp"

#include <iostream>
#include <stdexcept>
#include <string>

using corolab::static_thread_pool;
using corolab::Task;

struct noisy {
    const char *name;

    explicit noisy(const char *of) : name(of)
    {
    }
    noisy(noisy &&from) noexcept : name(std::exchange(from.name, nullptr))
    {
    }
    noisy &operator=(noisy &&) = delete;
    ~noisy()
    {
        if (name != nullptr) {
            std::cout << name << " is destroyed\n";
        }
    }
};

static Task<int> failing(static_thread_pool &pool, noisy argument)
{
    const noisy local{"the local"};

    co_await pool.yield();
    throw std::runtime_error(std::string{"the one with "} + argument.name + " failed");
}

static Task<> catching(static_thread_pool &pool)
{
    try {
        (void)co_await failing(pool, noisy{"the first argument"});
    } catch (const std::runtime_error &thrown) {
        std::cout << "at co_await: " << thrown.what() << '\n';
    }
}

int main()
{
    static_thread_pool pool{1};

    pool.get(catching(pool));
    try {
        (void)pool.get(failing(pool, noisy{"the second argument"}));
    } catch (const std::runtime_error &thrown) {
        std::cout << "at get: " << thrown.what() << '\n';
    }
}
