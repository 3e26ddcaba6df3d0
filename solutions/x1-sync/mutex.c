/* mutex.c - x1, reference: one coroutine at a time. */
#include "mutex.h"

#include "claim.h"

#include <errno.h>

void mutex_init(mutex *m)
{
    *m = (mutex){.owner = NULL};
    lock_init(&m->lock);
}

void mutex_destroy(mutex *m)
{
    waiters woken = {NULL, NULL};

    lock_acquire(&m->lock);
    claim_all(&m->waiters, &woken);
    lock_release(&m->lock);
    lock_destroy(&m->lock);
    waiters_wake(&woken, -ECANCELED);
}

/* Under the lock: the next one has it from here on, though it does not run yet. Returns whom to wake. */
static awaiter *hand_over(mutex *m)
{
    awaiter *next = claim_first(&m->waiters);

    m->owner = next != NULL ? next->waiter : NULL;
    return next;
}

int mutex_try_lock(mutex *m, co_handle self)
{
    int result = 0;

    lock_acquire(&m->lock);
    if (m->owner == self) {
        result = -EDEADLK;
    } else if (m->owner != NULL) {
        result = -EBUSY;
    } else {
        m->owner = self;
    }
    lock_release(&m->lock);
    return result;
}

int mutex_unlock(mutex *m, co_handle self)
{
    awaiter *next = NULL;
    bool is_owner;

    lock_acquire(&m->lock);
    is_owner = m->owner != NULL && m->owner == self;
    if (is_owner) {
        next = hand_over(m);
    }
    lock_release(&m->lock);
    if (next != NULL) {
        co_wake(next, 0);
    }
    return is_owner ? 0 : -EPERM;
}

/* ---- The awaiter: a->buffer is the mutex, a->result what came of it ------ */

static bool wait_for(mutex *m, awaiter *a, co_handle self)
{
    bool waits = false;

    lock_acquire(&m->lock);
    a->result = 0;
    if (m->owner == self) {
        a->result = -EDEADLK;
    } else if (m->owner == NULL && claim(a)) {
        m->owner = self;
    } else if (a->executor == NULL) {
        a->result = -EINVAL;
    } else {
        a->source = m;
        waiters_push(&m->waiters, a);
        waits = true;
    }
    lock_release(&m->lock);
    return waits;
}

static void stop_waiting(mutex *m, awaiter *a)
{
    awaiter *next = NULL;

    if (a->source == NULL && a->result != 0) {
        return; /* it has got nothing; the mutex may be gone */
    }
    lock_acquire(&m->lock);
    if (a->source == NULL) {
        next = hand_over(m); /* it was its turn, and it will not come */
    } else {
        waiters_remove(&m->waiters, a);
    }
    lock_release(&m->lock);
    a->source = NULL;
    a->result = -ECANCELED;
    if (next != NULL) {
        co_wake(next, 0);
    }
}

static bool lock_suspend(awaiter *a, co_handle self)
{
    return wait_for(a->buffer, a, self);
}

static intptr_t lock_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void lock_cancel(awaiter *a)
{
    stop_waiting(a->buffer, a);
}

static const awaiter_type lock_type = {"mutex",     co_always_ready, lock_suspend,
                                       lock_resume, lock_cancel,     NULL};

awaiter mutex_lock(mutex *m)
{
    return (awaiter){.type = &lock_type, .buffer = m};
}

/* ---- The guard: a->buffer is the guard ----------------------------------- */

static bool guard_ready(awaiter *a)
{
    const mutex_guard *g = a->buffer;

    a->result = g->owner != NULL ? -EBUSY : 0;
    return a->result != 0;
}

static bool guard_suspend(awaiter *a, co_handle self)
{
    mutex_guard *g = a->buffer;

    return wait_for(g->mutex, a, self);
}

/* It holds the mutex from here on, and not from when it was handed over: before, the await gives it back. */
static intptr_t guard_resume(awaiter *a, co_error *thrown)
{
    mutex_guard *g = a->buffer;

    (void)thrown;
    if (a->result == 0) {
        g->owner = a->waiter;
    }
    return a->result;
}

static void guard_cancel(awaiter *a)
{
    mutex_guard *g = a->buffer;

    stop_waiting(g->mutex, a);
}

static const awaiter_type guard_type = {"mutex",      guard_ready,  guard_suspend,
                                        guard_resume, guard_cancel, NULL};

awaiter mutex_guard_lock(mutex_guard *g, mutex *m)
{
    if (g->owner == NULL) {
        g->mutex = m;
    }
    return (awaiter){.type = &guard_type, .buffer = g};
}

void mutex_guard_release(mutex_guard *g)
{
    co_handle owner = g->owner;

    g->owner = NULL;
    if (owner != NULL) {
        (void)mutex_unlock(g->mutex, owner);
    }
}
