// switch, by Boost.Asio with C++20 coroutines: to go to the end of the queue is to post oneself.
#include "asio.hpp"
#include "measure.h"

static int64_t began, ended;

static asio::awaitable<void> turner(bool first, long turns)
{
    auto executor = co_await asio::this_coro::executor;

    if (first) {
        began = processor_ns();
    }
    for (; turns > 0; turns--) {
        co_await asio::post(executor, asio::use_awaitable);
    }
    if (first) {
        ended = processor_ns();
    }
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), turns = argument(argc, argv, 2);
    asio::io_context context(1);

    for (long i = 0; i < tasks; i++) {
        asio::co_spawn(context, turner(i == 0, turns), asio::detached);
    }
    context.run();
    report_each(ended - began, tasks * turns);
}
