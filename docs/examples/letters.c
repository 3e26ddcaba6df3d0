/* letters.c - three printers, ten rounds: after each letter they sleep for 100 ms. The clock is virtual, so it
 * takes no time.
 *
 *     ./lab trace docs/examples/letters.c
 */
#include "timers.h"

struct printer {
    task task; /* first: the frame */
    timers *timers;
    int round;
};

static void printer_body(co_handle frame)
{
    struct printer *self = (struct printer *)frame;

    CO_BEGIN(self);
    for (self->round = 0; self->round < 10; self->round++) {
        (void)printf("%s\n", self->task.name);
        CO_AWAIT(self, self->task.ignored, sleep_for(self->timers, MILLISECONDS(100)));
    }
    CO_END(self);
}

static task *printer(const char *name, timers *t)
{
    struct printer *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->timers = t;
    return task_init(&self->task, name, printer_body, NULL);
}

int main(void)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    virtual_clock clock;
    timers *t;
    int left;

    virtual_clock_init(&clock, 0);
    t = timers_create(&clock.clock);
    scheduler_set_driver(s, timers_driver(t));
    (void)scheduler_spawn(s, printer("A", t));
    (void)scheduler_spawn(s, printer("B", t));
    (void)scheduler_spawn(s, printer("C", t));
    left = scheduler_run(s);
    (void)scheduler_destroy(s);
    timers_destroy(t);
    return left == 0 && clock.time == MILLISECONDS(1000) ? 0 : 1;
}
