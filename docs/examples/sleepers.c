/* sleepers.c - three coroutines sleep for 300, 200 and 100 ms, all at once: the shortest sleep ends
 * first, and together they take no longer than the longest. The clock is virtual, so it takes no time.
 *
 *     ./lab trace docs/examples/sleepers.c
 */
#include "timers.h"

struct sleeper {
    task task; /* first: the frame */
    timers *timers;
    int64_t duration;
};

static void sleeper_body(co_handle frame)
{
    struct sleeper *self = (struct sleeper *)frame;
    int64_t now;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->timers, self->duration));
    now = timers_clock(self->timers)->now(timers_clock(self->timers));
    (void)printf("%s at %d ms\n", self->task.name, (int)(now / MILLISECONDS(1)));
    CO_END(self);
}

static task *sleeper(const char *name, timers *t, int64_t duration)
{
    struct sleeper *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->timers = t;
    self->duration = duration;
    return task_init(&self->task, name, sleeper_body, NULL);
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
    (void)scheduler_spawn(s, sleeper("long", t, MILLISECONDS(300)));
    (void)scheduler_spawn(s, sleeper("medium", t, MILLISECONDS(200)));
    (void)scheduler_spawn(s, sleeper("short", t, MILLISECONDS(100)));
    left = scheduler_run(s);
    (void)scheduler_destroy(s);
    timers_destroy(t);
    return left;
}
