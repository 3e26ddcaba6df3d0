// memory, of plain C++20 coroutines on a ring queue.
#include "measure.h"
#include "resident.h"
#include "ring.hpp"

static ring_scheduler scheduler;
static long sum;

static spawned sleeper(long number)
{
    co_await scheduler.yield();
    sum += number;
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), before = resident_bytes("self");

    for (long i = 0; i < tasks; i++) {
        scheduler.spawn(sleeper(i));
    }
    for (long i = 0; i < tasks; i++) {
        scheduler.turn();
    }
    report_each(resident_bytes("self") - before, tasks);
    scheduler.run();
}
