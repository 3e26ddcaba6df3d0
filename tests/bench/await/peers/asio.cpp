// await, by Boost.Asio's awaitable.
#include "asio.hpp"
#include "measure.h"

#include <cstring>

static long awaited;

static asio::awaitable<long> child(long number)
{
    co_return number;
}

static asio::awaitable<long> parent(long count)
{
    for (; count > 0; count--) {
        awaited += co_await child(1);
    }
    co_return 0;
}

static asio::awaitable<long> fibonacci(long n)
{
    awaited++;
    if (n < 2) {
        co_return n;
    }
    long a = co_await fibonacci(n - 1);
    long b = co_await fibonacci(n - 2);
    co_return a + b;
}

int main(int argc, char **argv)
{
    long number = argument(argc, argv, 2);
    bool in_turn = std::strcmp(argv[1], "children") == 0;
    asio::io_context context(1);
    int64_t began = processor_ns();

    asio::co_spawn(context, in_turn ? parent(number) : fibonacci(number),
                   [](std::exception_ptr, long) {});
    context.run();
    report_each(processor_ns() - began, awaited);
}
