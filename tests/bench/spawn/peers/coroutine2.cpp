// spawn, by Boost.Coroutine2.
#include "boost_stacks.hpp"
#include "measure.h"

static constexpr long batch = 1000;

int main(int argc, char **argv)
{
    long rounds = argument(argc, argv, 1), sum = 0, one = 1;
    boost_scheduler scheduler;
    int64_t began = processor_ns();

    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < batch; i++) {
            scheduler.spawn([&sum, number = one](boost_scheduler::suspend &) { sum += number; });
        }
        scheduler.run();
    }
    report_each(processor_ns() - began, sum);
}
