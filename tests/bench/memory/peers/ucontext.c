/* memory, of coroutines by ucontext(3). */
#include "contexts.h"
#include "resident.h"

static long sum;

static void sleeper(void *number)
{
    context_yield();
    sum += *(const long *)number;
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), before = resident_bytes("self");

    for (long i = 0; i < tasks; i++) {
        context_spawn(sleeper, &tasks);
    }
    for (long i = 0; i < tasks; i++) {
        context_turn();
    }
    report_each(resident_bytes("self") - before, tasks);
    context_run();
    return 0;
}
