/* switch, by ucontext(3). */
#include "contexts.h"

static int64_t began, ended;
static long turns;

static void turner(void *argument)
{
    bool first = argument != NULL;

    if (first) {
        began = processor_ns();
    }
    for (long left = turns; left > 0; left--) {
        context_yield();
    }
    if (first) {
        ended = processor_ns();
    }
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1);

    turns = argument(argc, argv, 2);
    for (long i = 0; i < tasks; i++) {
        context_spawn(turner, i == 0 ? &turns : NULL);
    }
    context_run();
    report_each(ended - began, tasks * turns);
    return 0;
}
