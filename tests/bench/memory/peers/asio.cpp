// memory, of Boost.Asio's coroutines.
#include "asio.hpp"
#include "measure.h"
#include "resident.h"

static long sum;

static asio::awaitable<void> sleeper(long number)
{
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    sum += number;
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), before = resident_bytes("self");
    asio::io_context context(1);

    for (long i = 0; i < tasks; i++) {
        asio::co_spawn(context, sleeper(i), asio::detached);
    }
    for (long i = 0; i < tasks; i++) {
        context.run_one();
    }
    report_each(resident_bytes("self") - before, tasks);
    context.run();
}
