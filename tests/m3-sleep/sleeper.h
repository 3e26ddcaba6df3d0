/* sleeper.h - coroutines that sleep once and note when they went on. */
#ifndef SLEEPER_H
#define SLEEPER_H

#include "sleep_lab.h"

/* A task that sleeps for `duration` and then traces "NAME@TIME", in milliseconds, or "NAME:ERROR".
 * It copies the name. */
task *sleeper(struct sleep_lab *lab, const char *name, int64_t duration);

/* Who went on, in which order, when. */
struct wake_log {
    size_t count;
    struct wake {
        int id;
        int64_t time;
        intptr_t value; /* of the await */
    } wakes[512];
};

/* A task that sleeps until `deadline` and then writes itself into the log. */
task *logged_sleeper(timers *t, struct wake_log *log, int id, int64_t deadline);

/* Tells in steps and expectations which wake-up number `n` (from 0) should have been. */
void expect_wake(const struct wake_log *log, size_t n, int id, int64_t time);

#endif
