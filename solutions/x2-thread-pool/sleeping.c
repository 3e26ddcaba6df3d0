/* sleeping.c - x2, reference: milestone 3's timers, for many threads.
 *
 * The heap, the awaiter, and the order of those that are due are milestone 3's. New are a lock
 * around each of its functions, and a thread that waits for the earliest deadline. Who comes
 * with an earlier one wakes that thread, so that it looks again: otherwise it would sleep on
 * towards the later one.
 */
#include "pool.h"

#include <errno.h>

/* ---- The thread ---------------------------------------------------------- */

/* With the lock held. */
static void wait_for_next(struct sleeping *s)
{
    int64_t deadline = timers_next_deadline(s->timers);
    struct timespec t = {.tv_sec = deadline / SECONDS(1), .tv_nsec = deadline % SECONDS(1)};

    if (timers_count(s->timers) == 0) {
        (void)pthread_cond_wait(&s->changed, &s->lock);
    } else {
        (void)pthread_cond_timedwait(&s->changed, &s->lock, &t);
    }
}

static void *sleeping_main(void *argument)
{
    struct sleeping *s = argument;

    (void)pthread_mutex_lock(&s->lock);
    while (!s->over) {
        if (timers_expire(s->timers) == 0) {
            wait_for_next(s);
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* The deadlines are of the monotonic clock. */
static void init_lock(struct sleeping *s)
{
    pthread_condattr_t attributes;

    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

static void destroy_parts(struct sleeping *s)
{
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    timers_destroy(s->timers);
}

int sleeping_start(struct sleeping *s)
{
    int error;

    s->timers = timers_create(lab_clock_monotonic());
    if (s->timers == NULL) {
        return -ENOMEM;
    }
    s->type = sleep_until(s->timers, 0).type;
    init_lock(s);
    error = pthread_create(&s->thread, NULL, sleeping_main, s);
    if (error != 0) {
        destroy_parts(s);
    }
    return -error;
}

void sleeping_stop(struct sleeping *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->over = true;
    (void)pthread_cond_signal(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    destroy_parts(s);
}

/* ---- The awaiter: that of milestone 3, under the lock -------------------- */

static bool locked_ready(awaiter *a)
{
    thread_pool *pool = pool_of_awaiter(a);

    if (pool == NULL || a->source != pool->sleeping.timers) {
        a->source = NULL;
        a->result = -EINVAL;
        return true;
    }
    return pool->sleeping.type->await_ready(a);
}

/* relaxed: parking_drain reads `expected` under its lock when all workers have gone through that to
 * sleep, so after all they have done. */
static bool locked_suspend(awaiter *a, co_handle waiter)
{
    thread_pool *pool = pool_of_awaiter(a);
    struct sleeping *s = &pool->sleeping;
    int64_t earliest;
    bool suspended;

    (void)atomic_fetch_add_explicit(&pool->expected, 1, memory_order_relaxed);
    (void)pthread_mutex_lock(&s->lock);
    earliest = timers_next_deadline(s->timers);
    suspended = s->type->await_suspend(a, waiter);
    if (timers_next_deadline(s->timers) < earliest) {
        (void)pthread_cond_signal(&s->changed);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return suspended;
}

static intptr_t locked_resume(awaiter *a, co_error *thrown)
{
    thread_pool *pool = pool_of_awaiter(a);
    intptr_t value = a->result;

    if (value != -EINVAL) { /* it was not refused, so it was counted */
        value = pool->sleeping.type->await_resume(a, thrown);
        (void)atomic_fetch_sub_explicit(&pool->expected, 1, memory_order_relaxed);
    }
    return value;
}

static void locked_describe(const awaiter *a, char *text, size_t size)
{
    pool_of_awaiter(a)->sleeping.type->await_describe(a, text, size);
}

/* No await_cancel: when the pool goes, nobody sleeps any more. */
static const awaiter_type locked_type = {"sleep",       locked_ready, locked_suspend,
                                         locked_resume, NULL,         locked_describe};

static awaiter locked(awaiter a)
{
    a.type = &locked_type;
    return a;
}

awaiter thread_pool_sleep_for(thread_pool *pool, int64_t duration)
{
    return locked(sleep_for(pool->sleeping.timers, duration));
}

awaiter thread_pool_sleep_until(thread_pool *pool, int64_t deadline)
{
    return locked(sleep_until(pool->sleeping.timers, deadline));
}
