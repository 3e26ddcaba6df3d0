/* scenario.c - a program for the tests of the timeline: each way in which a coroutine waits, wakes
 * and ends, on virtual time, so that all of it is the same in every run.
 */
#include "timers.h"

#include <string.h>

static scheduler *s;
static timers *t;

struct actor {
    task task;
    intptr_t value;
    co_error error;
    task *child;
};

static task *actor(const char *name, void (*body)(co_handle))
{
    struct actor *self = calloc(1, sizeof *self);

    return self == NULL ? NULL : task_init(&self->task, name, body, NULL);
}

static void worker_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, sleep_for(t, MILLISECONDS(3))); /* worker sleeps */
    CO_RETURN(self, 42);
    CO_END(self);
}

static void failing_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, scheduler_yield(s)); /* failing yields */
    CO_THROW(self, -7, "as planned");                /* failing throws */
    CO_END(self);
}

static void parent_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    self->child = actor("worker", worker_body);
    CO_AWAIT(self, self->value, task_await(self->child)); /* parent awaits */
    self->child = actor("failing", failing_body);
    CO_TRY_AWAIT(self, self->value, self->error, task_await(self->child)); /* parent tries */
    CO_RETURN(self, self->error.code);
    CO_END(self);
}

static void stuck_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, co_suspend_always()); /* stuck waits */
    CO_END(self);
}

/* Awaiting this destroys the coroutine: nobody may touch its frame when its body has returned. */
static bool leave(awaiter *a, co_handle waiter)
{
    (void)a;
    (void)task_destroy((task *)waiter);
    return true;
}

static void leaving_body(co_handle frame)
{
    static const awaiter_type type = {"leave", co_always_ready, leave, co_always_resume, NULL,
                                      NULL};
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, ((awaiter){.type = &type}));
    CO_END(self);
}

int main(int argc, char **argv)
{
    virtual_clock clock;
    int left;

    virtual_clock_init(&clock, 0);
    s = scheduler_create(SCHEDULER_FIFO);
    t = timers_create(&clock.clock);
    scheduler_set_driver(s, timers_driver(t));
    (void)scheduler_spawn(s, actor("parent", parent_body));
    (void)scheduler_spawn(s, actor("stuck", stuck_body));
    left = scheduler_run(s);
    (void)task_resume(actor("leaving", leaving_body));
    if (argc > 1 && strcmp(argv[1], "crash") == 0) {
        abort();
    }
    (void)scheduler_destroy(s);
    timers_destroy(t);
    return left == 1 ? 0 : 1;
}
