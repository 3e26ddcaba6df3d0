/* sync_lab.h - what the cases of x1 start from: a scheduler, and timers on a virtual clock. */
#ifndef SYNC_LAB_H
#define SYNC_LAB_H

#include "timers.h"

struct sync_lab {
    virtual_clock v; /* starts at 0 */
    scheduler *s;
    timers *t;
};

/* Makes all three and plugs the timers into the scheduler. */
void open_sync_lab(struct sync_lab *lab);

/* Destroys the scheduler, and with it the spawned tasks that have not ended, then the timers; nothing may be
 * left of what the case has allocated. */
void close_sync_lab(struct sync_lab *lab);

/* Gives a task to the scheduler; it must be taken. */
void spawn(struct sync_lab *lab, task *t);

/* Queues a task that stays the caller's, and returns it. */
task *start(struct sync_lab *lab, task *t);

/* Runs to the end: every task must have ended. */
void run_all(struct sync_lab *lab);

/* Runs until all that is ready waits or has ended. No time passes. */
void run_ready(struct sync_lab *lab);

/* Destroys a started task; it must be possible. */
void destroy(task *t);

#endif
