/* memory, of GNU Pth's threads. */
#include "measure.h"
#include "resident.h"

#include <pth.h>

static void *sleeper(void *argument)
{
    (void)argument;
    (void)pth_suspend(pth_self());
    return NULL;
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), before;
    pth_attr_t attributes;

    (void)pth_init();
    before = resident_bytes("self");
    attributes = pth_attr_new();
    (void)pth_attr_set(attributes, PTH_ATTR_STACK_SIZE, 8192);
    for (long i = 0; i < tasks; i++) {
        if (pth_spawn(attributes, sleeper, NULL) == NULL) {
            (void)fprintf(stderr, "pth_spawn failed\n");
            return 3;
        }
    }
    while (pth_ctrl(PTH_CTRL_GETTHREADS_NEW | PTH_CTRL_GETTHREADS_READY) > 0) {
        (void)pth_yield(NULL);
    }
    report_each(resident_bytes("self") - before, tasks);
    exit(0); /* nobody wakes them */
}
