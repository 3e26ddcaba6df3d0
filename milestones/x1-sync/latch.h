/* latch.h - x1: opens once, for all.
 *
 * Counts down; who waits goes on when it has come to zero, and from then on nobody waits any more. All
 * functions may be called by any thread.
 */
#ifndef LATCH_H
#define LATCH_H

#include "lock.h"
#include "waiters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct latch {
    struct lock lock; /* of the two below */
    size_t count;     /* how much is missing; 0: open */
    struct waiters waiters;
} latch;

/* A latch that opens after `count`; 0: it is open. The memory is the caller's. */
void latch_init(latch *l, size_t count);

/* Wakes whoever still waits (the value of the await is -ECANCELED). Nobody may use it afterwards. */
void latch_destroy(latch *l);

/* Counts down by `n`. At zero, all that wait are made ready, in the order in which they came.
 *   -EINVAL  that would be below zero; nothing has changed */
int latch_count_down(latch *l, size_t n);

/* Awaiter: until the latch is open; if it is, the coroutine does not suspend. The value is 0, or
 *   -EINVAL     it is not open, and the coroutine has no executor that could wake it
 *   -ECANCELED  the latch was destroyed, or the coroutine resumed by hand */
awaiter latch_wait(latch *l);

#ifdef __cplusplus
}
#endif

#endif
