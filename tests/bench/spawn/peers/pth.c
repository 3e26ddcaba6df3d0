/* spawn, by GNU Pth. */
#include "measure.h"

#include <pth.h>

enum { BATCH = 1000 };

static long sum;

static void *adder(void *number)
{
    sum += *(const long *)number;
    return NULL;
}

int main(int argc, char **argv)
{
    long rounds = argument(argc, argv, 1), one = 1;
    static pth_t batch[BATCH];
    pth_attr_t attributes;
    int64_t began;

    (void)pth_init();
    attributes = pth_attr_new();
    (void)pth_attr_set(attributes, PTH_ATTR_STACK_SIZE, 8192);
    began = processor_ns();
    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < BATCH; i++) {
            batch[i] = pth_spawn(attributes, adder, &one);
        }
        for (long i = 0; i < BATCH; i++) {
            (void)pth_join(batch[i], NULL);
        }
    }
    report_each(processor_ns() - began, sum);
    return 0;
}
