/* crowd.h - several coroutines that share the clients. */
#ifndef CROWD_H
#define CROWD_H

#include "scheduler.h"

/* One of them: goes through the clients `next`, `next + step`, ... below `end`. */
struct worker {
    task task;
    long next, end, step;
    struct client *client; /* the one of now */
    int64_t began;
    intptr_t n;
};

/* Coroutine: `count` workers with this body, which share the clients from `first` up to and without
 * `end`. Ends when all have ended; throws what the first of them throws. */
task *crowd(scheduler *s, void (*body)(co_handle), long count, long first, long end);

#endif
