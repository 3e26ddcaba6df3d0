// spawn, by Boost.Asio with C++20 coroutines.
#include "asio.hpp"
#include "measure.h"

static constexpr long batch = 1000;
static long sum;

static asio::awaitable<void> adder(long number)
{
    sum += number;
    co_return;
}

int main(int argc, char **argv)
{
    long rounds = argument(argc, argv, 1);
    asio::io_context context(1);
    int64_t began = processor_ns();

    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < batch; i++) {
            asio::co_spawn(context, adder(1), asio::detached);
        }
        context.run();
        context.restart();
    }
    report_each(processor_ns() - began, sum);
}
