/* switch: TASKS TURNS. Nanoseconds of one yield, with TASKS coroutines that yield in turn, TURNS
 * times each. The first one looks at the clock: between its first turn and its last, all have had
 * TURNS turns.
 */
#include "measure.h"
#include "scheduler.h"

static scheduler *s;

struct turner {
    task task;
    long left;
    bool first;
};

static long turns, tasks;
static int64_t began, ended;

static void turner_body(co_handle frame)
{
    struct turner *self = (struct turner *)frame;

    CO_BEGIN(self);
    if (self->first) {
        began = processor_ns();
    }
    for (; self->left > 0; self->left--) {
        CO_AWAIT(self, self->task.ignored, scheduler_yield(s));
    }
    if (self->first) {
        ended = processor_ns();
    }
    CO_END(self);
}

int main(int argc, char **argv)
{
    tasks = argument(argc, argv, 1);
    turns = argument(argc, argv, 2);
    s = scheduler_create(SCHEDULER_FIFO);
    for (long i = 0; i < tasks; i++) {
        struct turner *self = allocate(sizeof *self);

        self->left = turns;
        self->first = i == 0;
        (void)scheduler_spawn(s, task_init(&self->task, "turner", turner_body, NULL));
    }
    (void)scheduler_run(s);
    (void)scheduler_destroy(s);
    report_each(ended - began, tasks * turns);
    return 0;
}
