/* spawn, by ucontext(3). */
#include "contexts.h"

enum { BATCH = 1000 };

static long sum;

static void adder(void *number)
{
    sum += *(const long *)number;
}

int main(int argc, char **argv)
{
    long rounds = argument(argc, argv, 1), one = 1;
    int64_t began = processor_ns();

    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < BATCH; i++) {
            context_spawn(adder, &one);
        }
        context_run();
    }
    report_each(processor_ns() - began, sum);
    return 0;
}
