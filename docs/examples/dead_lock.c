/* dead_lock.c - the cook waits for the bill to be paid, the guest pays when the dish is there: both wait
 * for ever, and the run loop says so.
 *
 *     ./lab trace docs/examples/dead_lock.c
 */
#include "scheduler.h"

/* What one coroutine waits for, and another one brings about. */
struct event {
    awaiter *waiting;
};

struct person {
    task task; /* first: the frame */
    struct event *first, *then;
    const awaiter_type *waits_for;
};

static bool event_suspend(awaiter *a, co_handle waiter)
{
    struct event *event = a->source;

    (void)waiter;
    event->waiting = a;
    return true;
}

static void event_cancel(awaiter *a)
{
    ((struct event *)a->source)->waiting = NULL;
}

static const awaiter_type payment = {"payment",        co_always_ready, event_suspend,
                                     co_always_resume, event_cancel,    NULL};
static const awaiter_type dish = {"dish",           co_always_ready, event_suspend,
                                  co_always_resume, event_cancel,    NULL};

static awaiter wait_for(struct event *event, const awaiter_type *type)
{
    return (awaiter){.type = type, .source = event};
}

static void happens(struct event *event)
{
    if (event->waiting != NULL) {
        co_wake(event->waiting, 0);
    }
}

static void person_body(co_handle frame)
{
    struct person *self = (struct person *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, wait_for(self->first, self->waits_for));
    happens(self->then); /* never reached */
    CO_END(self);
}

static task *person(const char *name, struct event *first, const awaiter_type *type,
                    struct event *then)
{
    struct person *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->first = first;
    self->waits_for = type;
    self->then = then;
    return task_init(&self->task, name, person_body, NULL);
}

int main(void)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    struct event paid = {NULL}, served = {NULL};
    int left;

    (void)scheduler_spawn(s, person("cook", &paid, &payment, &served));
    (void)scheduler_spawn(s, person("guest", &served, &dish, &paid));
    left = scheduler_run(s);
    (void)printf("%d wait for ever\n", left);
    (void)scheduler_report(s, stderr);
    (void)scheduler_destroy(s);
    return left == 2 ? 0 : 1;
}
