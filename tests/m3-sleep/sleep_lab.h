/* sleep_lab.h - what the cases of milestone 3 start from: a scheduler, and timers on a virtual
 * clock.
 *
 * The clock is watched: whoever sleeps on it for ever, or looks at it again and again without
 * sleeping, ends the test with a sentence instead of hanging it.
 */
#ifndef SLEEP_LAB_H
#define SLEEP_LAB_H

#include "timers.h"

struct sleep_lab {
    virtual_clock v; /* starts at 0; its time and sleeps are for the cases to read and to set */
    scheduler *s;
    timers *t;
};

/* Makes all three and plugs the timers into the scheduler. */
void open_sleep_lab(struct sleep_lab *lab);

/* Destroys the scheduler (and with it what still sleeps), then the timers. */
void close_sleep_lab(struct sleep_lab *lab);

/* Gives a task to the scheduler; it must be taken. */
void spawn(struct sleep_lab *lab, task *t);

/* Queues a task that stays the caller's, and returns it. */
task *start(struct sleep_lab *lab, task *t);

/* Runs to the end: every task must have ended. */
void run_all(struct sleep_lab *lab);

/* Runs what is ready until all of it waits. No time passes. */
void run_ready(struct sleep_lab *lab);

/* Starts a virtual clock that is watched, for cases without the rest. */
void open_watched_clock(virtual_clock *v);

#endif
