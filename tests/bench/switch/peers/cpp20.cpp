// switch, by plain C++20 coroutines on a ring queue.
#include "measure.h"
#include "ring.hpp"

static ring_scheduler scheduler;
static int64_t began, ended;

static spawned turner(bool first, long turns)
{
    if (first) {
        began = processor_ns();
    }
    for (; turns > 0; turns--) {
        co_await scheduler.yield();
    }
    if (first) {
        ended = processor_ns();
    }
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), turns = argument(argc, argv, 2);

    for (long i = 0; i < tasks; i++) {
        scheduler.spawn(turner(i == 0, turns));
    }
    scheduler.run();
    report_each(ended - began, tasks * turns);
}
