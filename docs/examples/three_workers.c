/* three_workers.c - a main task awaits three workers, one after the other; each awaits an addition that takes
 * 300 ms. The clock is virtual, so it takes no time.
 *
 *     ./lab trace docs/examples/three_workers.c
 */
#include "timers.h"

struct adding {
    task task; /* first: the frame */
    timers *timers;
    int a, b;
    intptr_t sum;
};

static task *adding(const char *name, void (*body)(co_handle), timers *t, int a, int b)
{
    struct adding *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->timers = t;
    self->a = a;
    self->b = b;
    return task_init(&self->task, name, body, NULL);
}

static void add_body(co_handle frame)
{
    struct adding *self = (struct adding *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->timers, MILLISECONDS(300)));
    CO_RETURN(self, self->a + self->b);
    CO_END(self);
}

static void worker_body(co_handle frame)
{
    struct adding *self = (struct adding *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->sum, task_await(adding("add", add_body, self->timers, self->a, self->b)));
    (void)printf("%s: %d + %d = %d\n", self->task.name, self->a, self->b, (int)self->sum);
    CO_END(self);
}

static void main_body(co_handle frame)
{
    struct adding *self = (struct adding *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->sum, task_await(adding("TaskA", worker_body, self->timers, 1, 2)));
    CO_AWAIT(self, self->sum, task_await(adding("TaskB", worker_body, self->timers, 3, 4)));
    CO_AWAIT(self, self->sum, task_await(adding("TaskC", worker_body, self->timers, 5, 6)));
    CO_END(self);
}

int main(void)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    virtual_clock clock;
    timers *t;
    int result;

    virtual_clock_init(&clock, 0);
    t = timers_create(&clock.clock);
    scheduler_set_driver(s, timers_driver(t));
    result = scheduler_block_on(s, adding("main", main_body, t, 0, 0), NULL);
    (void)scheduler_destroy(s);
    timers_destroy(t);
    return result == 0 && clock.time == MILLISECONDS(900) ? 0 : 1;
}
