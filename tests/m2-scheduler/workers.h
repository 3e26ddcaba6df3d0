/* workers.h - the coroutines of these tests. Each tells in the trace what it does. */
#ifndef WORKERS_H
#define WORKERS_H

#include "gate.h"
#include "scheduler.h"

/* What happened to one or several coroutines; outlives them. */
struct tally {
    unsigned resumed;  /* how often a body was entered */
    unsigned released; /* how often a frame was released */
};

struct worker {
    task task;
    scheduler *scheduler;
    struct tally *tally; /* NULL: nobody counts */
    const char *name;
    int steps; /* how often it yields */
    int i;
    intptr_t value;    /* what it returns, */
    int code;          /* or, unless 0, throws */
    task *child;       /* what it awaits */
    task *second;      /* for those that deal with two */
    struct gate *gate; /* where it waits */
    co_error error;
};

/* The frame of a coroutine with that body; NULL if there is no memory. */
struct worker *worker_create(scheduler *s, const char *name, void (*body)(co_handle));
/* The same, ending the test if there is no memory; `tally` counts, it is not cleared. */
struct worker *worker_counted(scheduler *s, const char *name, struct tally *tally,
                              void (*body)(co_handle));
/* To be called first in a body: counts. */
struct worker *worker_enter(co_handle frame);

/* Yields `steps` times. Trace, with name "a" and two steps: "a-0 a-1 a-2". Returns `value`. */
task *yielder(scheduler *s, const char *name, struct tally *tally, int steps, intptr_t value);
/* The same, but throws `code` at the end. */
task *thrower(scheduler *s, const char *name, struct tally *tally, int steps, int code);
/* Awaits `child` and returns its value. Trace: "p-awaits p-got-42". */
task *parent(scheduler *s, const char *name, struct tally *tally, task *child);
/* The same, but catches what the child throws, and returns its code. Trace: "p-awaits p-caught-7". */
task *catcher(scheduler *s, const char *name, struct tally *tally, task *child);
/* Waits at `gate` and returns what that was opened with. Trace: "g-waits g-got-1". */
task *gate_waiter(scheduler *s, const char *name, struct tally *tally, struct gate *gate);

/* A scheduler; ends the test if there is none. */
scheduler *new_scheduler(scheduler_policy policy);
/* Ends the test unless these succeed. */
void spawn(scheduler *s, task *t);
void start(scheduler *s, task *t);
void run_to_end(scheduler *s);
void destroy_scheduler(scheduler *s);

#endif
