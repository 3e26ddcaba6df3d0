// file_joiner.cpp - "files" that take 50, 60 and 70 ms to come are joined by one worker in 70 ms, for a timer
// holds up no worker. A missing one throws, which is caught.
#include "corolab/thread_pool.hpp"

#include <iostream>
#include <stdexcept>
#include <string>

using corolab::static_thread_pool;
using corolab::Task;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

static Task<std::string> read(static_thread_pool &pool, std::string name,
                              std::chrono::milliseconds takes)
{
    co_await pool.sleep_for(takes);
    if (name == "missing") {
        throw std::runtime_error("no such file: " + name);
    }
    co_return "content " + name;
}

static Task<std::string> joined(static_thread_pool &pool)
{
    auto a = read(pool, "a", 50ms), b = read(pool, "b", 60ms), c = read(pool, "c", 70ms);

    for (auto *file : {&a, &b, &c}) {
        pool.parallel(*file);
    }
    std::string all = co_await pool.join(std::move(a));
    all += ",";
    all += co_await pool.join(std::move(b));
    all += ",";
    all += co_await pool.join(std::move(c));
    co_return all;
}

static Task<std::string> or_why_not(static_thread_pool &pool, std::string name)
{
    try {
        co_return co_await read(pool, name, 10ms);
    } catch (const std::runtime_error &thrown) {
        co_return thrown.what();
    }
}

int main()
{
    static_thread_pool pool{1};
    const auto begin = steady::now();

    std::cout << pool.get(joined(pool)) << '\n';
    const auto taken = steady::now() - begin;
    std::cout << pool.get(or_why_not(pool, "missing")) << '\n';
    return taken >= 70ms && taken < 10s ? 0 : 1;
}
