// memory, of coroutines by Boost.Coroutine2.
#include "boost_stacks.hpp"
#include "measure.h"
#include "resident.h"

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), before = resident_bytes("self"), sum = 0;
    boost_scheduler scheduler;

    for (long i = 0; i < tasks; i++) {
        scheduler.spawn([&sum, number = i](boost_scheduler::suspend &yield) {
            yield();
            sum += number;
        });
    }
    for (long i = 0; i < tasks; i++) {
        scheduler.turn();
    }
    report_each(resident_bytes("self") - before, tasks);
    scheduler.run();
}
