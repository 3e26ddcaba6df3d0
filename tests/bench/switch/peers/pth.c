/* switch, by GNU Pth. */
#include "measure.h"

#include <pth.h>

static int64_t began, ended;
static long turns;

static void *turner(void *argument)
{
    if (argument != NULL) {
        began = processor_ns();
    }
    for (long left = turns; left > 0; left--) {
        (void)pth_yield(NULL);
    }
    if (argument != NULL) {
        ended = processor_ns();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1);
    pth_attr_t attributes;
    pth_t first = NULL;

    turns = argument(argc, argv, 2);
    (void)pth_init();
    attributes = pth_attr_new();
    (void)pth_attr_set(attributes, PTH_ATTR_STACK_SIZE, 8192);
    for (long i = 0; i < tasks; i++) {
        pth_t t = pth_spawn(attributes, turner, i == 0 ? &turns : NULL);

        if (t == NULL) {
            (void)fprintf(stderr, "pth_spawn failed\n");
            return 3;
        }
        first = i == 0 ? t : first;
    }
    (void)pth_join(first, NULL);
    report_each(ended - began, tasks * turns);
    exit(0); /* without waiting for the others' last turn */
}
