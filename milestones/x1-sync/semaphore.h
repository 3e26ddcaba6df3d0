/* semaphore.h - x1: so many at a time, and no more.
 *
 * A number of permits. Who acquires takes some away, and waits while there are too few; who releases puts
 * some back, be it the same coroutine or another. First come, first served: one that wants many is
 * not overtaken by others that want few, or it would wait for ever. All functions may be called by any
 * thread.
 */
#ifndef SEMAPHORE_H
#define SEMAPHORE_H

#include "lock.h"
#include "waiters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct semaphore {
    struct lock lock; /* of the two below */
    size_t permits;   /* how many there are to take */
    struct waiters waiters;
} semaphore;

/* With `permits` to begin with, at most INTPTR_MAX. The memory is the caller's. */
void semaphore_init(semaphore *s, size_t permits);

/* Wakes whoever still waits (the value of the await is -ECANCELED). Nobody may use it afterwards. */
void semaphore_destroy(semaphore *s);

/* Awaiter: takes `n` permits, all at once. The value is 0, or a negative errno, and then it has none:
 *   -EINVAL     n is above INTPTR_MAX; or it has to wait, and has no executor that could wake it
 *   -ECANCELED  the semaphore was destroyed, or the coroutine resumed by hand
 * A coroutine that is destroyed while it waits no longer waits, and those behind it get what they can get
 * now. If it was given its permits, and is destroyed before it went on, they are released. */
awaiter semaphore_acquire(semaphore *s, size_t n);

/* Takes `n` permits if they are there, and nobody waits: 0. Else, without waiting, -EAGAIN. */
int semaphore_try_acquire(semaphore *s, size_t n);

/* Puts back `n` permits, and makes ready whoever has enough now: as many coroutines as possible, but
 * none before the one that has waited longest.
 *   -EOVERFLOW  there would be more than INTPTR_MAX; nothing has changed */
int semaphore_release(semaphore *s, size_t n);

#ifdef __cplusplus
}
#endif

#endif
