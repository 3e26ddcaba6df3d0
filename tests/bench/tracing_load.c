/* tracing_load.c - for tracing.py: much of what a recorder could slow down. Prints nanoseconds for one
 * resumption, and for one coroutine from its creation to its end.
 */
#include "clock.h"
#include "scheduler.h"

#include <inttypes.h>

enum { TURNS = 3000000, TASKS = 500000 };

static scheduler *s;

struct turner {
    task task;
    long left;
};

static void turner_body(co_handle frame)
{
    struct turner *self = (struct turner *)frame;

    CO_BEGIN(self);
    for (; self->left > 0; self->left--) {
        CO_AWAIT(self, self->task.ignored, scheduler_yield(s));
    }
    CO_END(self);
}

static void spawn_turner(long turns)
{
    struct turner *self = calloc(1, sizeof *self);

    if (self == NULL) {
        abort();
    }
    self->left = turns;
    (void)scheduler_spawn(s, task_init(&self->task, "turner", turner_body, NULL));
}

static int64_t now(void)
{
    return lab_clock_monotonic()->now(lab_clock_monotonic());
}

int main(int argc, char **argv)
{
    long share = argc > 1 ? strtol(argv[1], NULL, 10) : 1; /* a part of the work only */
    int64_t begin, turned, ended;

    s = scheduler_create(SCHEDULER_FIFO);
    begin = now();
    spawn_turner(TURNS / share / 2);
    spawn_turner(TURNS / share / 2);
    (void)scheduler_run(s);
    turned = now();
    for (long i = 0; i < TASKS / share; i++) {
        spawn_turner(0);
        (void)scheduler_run(s);
    }
    ended = now();
    (void)scheduler_destroy(s);
    (void)printf("%.2f %.2f\n", (double)(turned - begin) / (double)(TURNS / share),
                 (double)(ended - turned) / (double)(TASKS / share));
    return 0;
}
