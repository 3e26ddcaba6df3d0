// timers, by Boost.Asio: sleeps are coroutines', cancelled waits are callbacks, which cost less.
#include "asio.hpp"
#include "measure.h"

#include <chrono>
#include <cstring>
#include <vector>

static std::chrono::microseconds shortest;

static std::chrono::microseconds duration()
{
    return shortest + std::chrono::microseconds(random_below(shortest.count()));
}

static asio::awaitable<void> sleeper(long sleeps)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);

    for (; sleeps > 0; sleeps--) {
        timer.expires_after(duration());
        co_await timer.async_wait(asio::use_awaitable);
    }
}

static void bench_sleep(asio::io_context &context, long count, long sleeps)
{
    for (long i = 0; i < count; i++) {
        asio::co_spawn(context, sleeper(sleeps), asio::detached);
    }
    int64_t began = processor_ns();
    context.run();
    report_each(processor_ns() - began, count * sleeps);
}

static void bench_cancel(asio::io_context &context, long count, long rounds)
{
    const long *order = random_order(count);
    std::vector<asio::steady_timer> timers;
    int64_t took = 0;
    long cancelled = 0;

    timers.reserve(static_cast<std::size_t>(count));
    for (long i = 0; i < count; i++) {
        timers.emplace_back(context);
    }
    for (long round = 0; round < rounds; round++) {
        for (auto &timer : timers) {
            timer.expires_after(duration());
            timer.async_wait([&](boost::system::error_code) { cancelled++; });
        }
        int64_t began = processor_ns();
        for (long i = 0; i < count; i++) {
            timers[static_cast<std::size_t>(order[i])].cancel();
        }
        context.run(); // those who waited are told
        took += processor_ns() - began;
        context.restart();
    }
    report_each(took, cancelled);
}

int main(int argc, char **argv)
{
    long count = argument(argc, argv, 2), repeats = argument(argc, argv, 3);
    asio::io_context context(1);

    if (std::strcmp(argv[1], "cancel") == 0) {
        shortest = std::chrono::hours(1);
        bench_cancel(context, count, repeats);
    } else {
        shortest = std::chrono::microseconds(argument(argc, argv, 4));
        bench_sleep(context, count, repeats);
    }
}
