/* clock.c - given: the system's clock and a virtual one. */
#include "clock.h"

#include <time.h>

static int64_t monotonic_now(lab_clock *self)
{
    struct timespec t;

    (void)self;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return SECONDS(t.tv_sec) + t.tv_nsec;
}

/* An absolute deadline: a signal in mid-sleep makes it neither longer nor shorter. */
static void monotonic_sleep_until(lab_clock *self, int64_t deadline)
{
    struct timespec t = {.tv_sec = deadline / SECONDS(1), .tv_nsec = deadline % SECONDS(1)};

    (void)self;
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

lab_clock *lab_clock_monotonic(void)
{
    static lab_clock clock = {monotonic_now, monotonic_sleep_until};

    return &clock;
}

static int64_t virtual_now(lab_clock *self)
{
    return ((virtual_clock *)self)->time;
}

static void virtual_sleep_until(lab_clock *self, int64_t deadline)
{
    virtual_clock *v = (virtual_clock *)self;

    v->sleeps++;
    if (v->time < deadline) {
        v->time = deadline;
    }
}

void virtual_clock_init(virtual_clock *v, int64_t time)
{
    v->clock.now = virtual_now;
    v->clock.sleep_until = virtual_sleep_until;
    v->time = time;
    v->sleeps = 0;
}
