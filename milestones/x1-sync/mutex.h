/* mutex.h - x1: one coroutine at a time.
 *
 * It suspends the coroutine and not the thread: while one waits for the mutex, the others run. First
 * come, first served: unlocking hands the mutex to the one that has waited longest, and nobody can snatch
 * it away in between.
 *
 * There is no "current coroutine" in C, so who unlocks says who it is: its handle, which is the argument
 * of its body. All functions may be called by any thread.
 */
#ifndef MUTEX_H
#define MUTEX_H

#include "lock.h"
#include "waiters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mutex {
    struct lock lock; /* of the two below */
    co_handle owner;  /* who has it; NULL: nobody */
    struct waiters waiters;
} mutex;

/* Makes it free. The memory is the caller's. */
void mutex_init(mutex *m);

/* Wakes whoever still waits (the value of the await is -ECANCELED). Nobody may use it afterwards. */
void mutex_destroy(mutex *m);

/* Awaiter: waits until the coroutine has the mutex. The value is 0, or a negative errno, and then it has
 * it not:
 *   -EDEADLK    it has it already
 *   -EINVAL     somebody has it, and the coroutine has no executor that could wake it
 *   -ECANCELED  the mutex was destroyed, or the coroutine resumed by hand
 * A coroutine that is destroyed while it waits no longer waits. If the mutex was handed to it, and it
 * is destroyed before it went on, the next one gets it. */
awaiter mutex_lock(mutex *m);

/* Takes it for `self` if nobody has it: 0. Else, without waiting,
 *   -EDEADLK  `self` has it
 *   -EBUSY    another one has */
int mutex_try_lock(mutex *m, co_handle self);

/* Hands it to the one that has waited longest, which is made ready; without waiters it is free.
 *   -EPERM  `self` does not have it; nothing has changed */
int mutex_unlock(mutex *m, co_handle self);

/* ---- A guard: unlocks once, whatever happens ----------------------------- */

/* A lock that is held, as a value. Keep it in the frame, with all bits zero before its first use, and call
 * mutex_guard_release in two places: at the end of what is guarded, and in the frame's release function
 * (task_init). The second one is for all ways out that pass by the first: an error that is thrown by an
 * await in between, a CO_RETURN in the middle, a frame that is destroyed while it waits. One that was
 * spawned or is awaited is released as soon as it has ended.
 *
 *     CO_AWAIT(self, self->got, mutex_guard_lock(&self->guard, self->m));
 *     ...                                          // awaits as it likes
 *     mutex_guard_release(&self->guard);
 *
 *     static void release(co_handle frame)         // given to task_init
 *     {
 *         mutex_guard_release(&((struct holder *)frame)->guard);
 *         free(frame);
 *     } */
typedef struct mutex_guard {
    struct mutex *mutex;
    co_handle owner; /* NULL: holds nothing */
} mutex_guard;

/* Awaiter: as mutex_lock; when its value is 0, the guard holds m.
 *   -EBUSY  the guard holds a mutex already */
awaiter mutex_guard_lock(mutex_guard *g, mutex *m);

/* Unlocks what it holds. Does nothing if it holds nothing, so it may be called twice. */
void mutex_guard_release(mutex_guard *g);

#ifdef __cplusplus
}
#endif

#endif
