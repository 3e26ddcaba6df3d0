/* memory: TASKS. Bytes in memory for each of TASKS suspended coroutines, with one local variable. */
#include "measure.h"
#include "resident.h"
#include "scheduler.h"

static scheduler *s;

struct sleeper {
    task task;
    long number;
};

static void sleeper_body(co_handle frame)
{
    struct sleeper *self = (struct sleeper *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(s));
    CO_RETURN(self, self->number);
    CO_END(self);
}

struct watcher {
    task task;
    long tasks, before;
};

/* Spawned last: when it runs, all others have suspended. */
static void watcher_body(co_handle frame)
{
    struct watcher *self = (struct watcher *)frame;

    CO_BEGIN(self);
    report_each(resident_bytes("self") - self->before, self->tasks);
    CO_END(self);
}

static void spawn_watcher(long tasks, long before)
{
    struct watcher *self = allocate(sizeof *self);

    self->tasks = tasks;
    self->before = before;
    (void)scheduler_spawn(s, task_init(&self->task, "watcher", watcher_body, NULL));
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1), before = resident_bytes("self");

    s = scheduler_create(SCHEDULER_FIFO);
    for (long i = 0; i < tasks; i++) {
        struct sleeper *self = allocate(sizeof *self);

        self->number = i;
        (void)scheduler_spawn(s, task_init(&self->task, "sleeper", sleeper_body, NULL));
    }
    spawn_watcher(tasks, before);
    (void)scheduler_run(s);
    (void)scheduler_destroy(s);
    return 0;
}
