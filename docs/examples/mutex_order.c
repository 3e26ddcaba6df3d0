/* mutex_order.c - a mutex that suspends the coroutine and not the thread: of five that hold it for 10 ms, who
 * came first is first; and five that sleep for 100 ms are not held up by them. The clock is virtual, so it
 * takes no time.
 */
#include "mutex.h"
#include "timers.h"

struct holder {
    task task; /* first: the frame */
    timers *timers;
    mutex *mutex; /* who only sleeps has none */
    mutex_guard guard;
    int id;
};

static void hold_body(co_handle frame)
{
    struct holder *self = (struct holder *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, mutex_guard_lock(&self->guard, self->mutex));
    (void)printf("%d\n", self->id);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->timers, MILLISECONDS(10)));
    mutex_guard_release(&self->guard);
    CO_END(self);
}

static void sleep_body(co_handle frame)
{
    struct holder *self = (struct holder *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->timers, MILLISECONDS(100)));
    CO_END(self);
}

/* Whatever way its body ended: the guard lets go, too. */
static void release(co_handle frame)
{
    mutex_guard_release(&((struct holder *)frame)->guard);
    free(frame);
}

static task *holder(void (*body)(co_handle), timers *t, mutex *m, int id)
{
    struct holder *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->timers = t;
    self->mutex = m;
    self->id = id;
    return task_init(&self->task, "holder", body, release);
}

/* How long five holders take beside so many sleepers. */
static int64_t time_of_five(int sleepers)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    virtual_clock clock;
    timers *t;
    mutex m;

    virtual_clock_init(&clock, 0);
    t = timers_create(&clock.clock);
    scheduler_set_driver(s, timers_driver(t));
    mutex_init(&m);
    for (int id = 0; id < 5; id++) {
        (void)scheduler_spawn(s, holder(hold_body, t, &m, id));
    }
    for (int i = 0; i < sleepers; i++) {
        (void)scheduler_spawn(s, holder(sleep_body, t, NULL, 0));
    }
    (void)scheduler_run(s);
    (void)scheduler_destroy(s);
    timers_destroy(t);
    mutex_destroy(&m);
    return clock.time;
}

int main(void)
{
    (void)printf("%d ms\n", (int)(time_of_five(0) / MILLISECONDS(1)));
    (void)printf("%d ms\n", (int)(time_of_five(5) / MILLISECONDS(1)));
    return 0;
}
