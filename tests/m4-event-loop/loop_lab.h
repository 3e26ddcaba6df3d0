/* loop_lab.h - what the cases of milestone 4 start from: a scheduler, timers and an event loop, on
 * virtual time: epoll_wait moves the clock instead of sleeping.
 */
#ifndef LOOP_LAB_H
#define LOOP_LAB_H

#include "event_loop.h"

struct loop_lab {
    virtual_clock v; /* starts at 0 */
    scheduler *s;
    timers *t;
    event_loop *loop;
    int descriptors; /* open before the loop was made */
};

/* Makes all of it. `options` as for event_loop_create. */
void open_loop_lab(struct loop_lab *lab, unsigned options);

/* The same on real time. */
void open_real_loop_lab(struct loop_lab *lab, unsigned options);

/* Destroys it all. No descriptor may be left, so close those of the scene before. */
void close_loop_lab(struct loop_lab *lab);

/* Plays a scene edge-triggered, then again level-triggered; each with a lab and a trace of its own.
 */
void in_both_modes(void (*scene)(struct loop_lab *lab));

/* Gives a task to the scheduler; it must be taken. */
void spawn(struct loop_lab *lab, task *t);

/* Queues a task that stays the caller's, and returns it. */
task *start(struct loop_lab *lab, task *t);

/* event_loop_run to the end: every task must have ended. */
void run_all(struct loop_lab *lab);

/* A task that sleeps for `delay` and then does something that is not the loop's business: its
 * system calls are neither counted nor disturbed. */
task *later(struct loop_lab *lab, int64_t delay, void (*act)(struct loop_lab *lab, void *context),
            void *context);

#endif
