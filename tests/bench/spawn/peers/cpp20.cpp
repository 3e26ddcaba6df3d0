// spawn, by plain C++20 coroutines on a ring queue.
#include "measure.h"
#include "ring.hpp"

static constexpr long batch = 1000;
static long sum;

static spawned adder(long number)
{
    sum += number;
    co_return;
}

int main(int argc, char **argv)
{
    long rounds = argument(argc, argv, 1);
    ring_scheduler scheduler;
    int64_t began = processor_ns();

    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < batch; i++) {
            scheduler.spawn(adder(1));
        }
        scheduler.run();
    }
    report_each(processor_ns() - began, sum);
}
