/* lock.h - x1, given: what guards the few words of a mutex, a channel, ... against other threads.
 *
 * Coroutines that wait for each other may run on different threads (a pool, several schedulers). So
 * each object has one lock of this kind. It is held for a few lines, never while a coroutine waits,
 * and never while a function of somebody else is called: first lock_release, then co_wake. So no order
 * of locks can be wrong, whatever the executor does, and a coroutine that is woken may end, and take the
 * object with it, at once: who has woken it does not touch it any more.
 *
 * It is the system's mutex, and no spin lock of our own: a thread that is interrupted while it holds
 * the lock costs the others a sleep, not a core; and the tools that look for races know it. If nobody
 * else holds it, it is one atomic instruction each way.
 */
#ifndef LOCK_H
#define LOCK_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lock {
    pthread_mutex_t mutex;
} lock;

static inline void lock_init(lock *l)
{
    (void)pthread_mutex_init(&l->mutex, NULL);
}

static inline void lock_destroy(lock *l)
{
    (void)pthread_mutex_destroy(&l->mutex);
}

static inline void lock_acquire(lock *l)
{
    (void)pthread_mutex_lock(&l->mutex);
}

static inline void lock_release(lock *l)
{
    (void)pthread_mutex_unlock(&l->mutex);
}

#ifdef __cplusplus
}
#endif

#endif
