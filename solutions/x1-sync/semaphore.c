/* semaphore.c - x1, reference: so many at a time. */
#include "semaphore.h"

#include "claim.h"

#include <errno.h>

void semaphore_init(semaphore *s, size_t permits)
{
    *s = (semaphore){.permits = permits};
    lock_init(&s->lock);
}

void semaphore_destroy(semaphore *s)
{
    waiters woken = {NULL, NULL};

    lock_acquire(&s->lock);
    claim_all(&s->waiters, &woken);
    lock_release(&s->lock);
    lock_destroy(&s->lock);
    waiters_wake(&woken, -ECANCELED);
}

/* Under the lock: whoever is first gets what it wants, as long as there is enough. */
static void serve(semaphore *s, waiters *served)
{
    awaiter *a;

    while ((a = s->waiters.first) != NULL && (size_t)a->result <= s->permits) {
        waiters_remove(&s->waiters, a);
        if (claim(a)) {
            s->permits -= (size_t)a->result;
            waiters_push(served, a);
        }
    }
}

/* Each wakes with the number of its permits. */
static void wake(waiters *served)
{
    while (served->first != NULL) {
        awaiter *a = served->first;

        waiters_remove(served, a);
        co_wake(a, a->result);
    }
}

int semaphore_try_acquire(semaphore *s, size_t n)
{
    int result = -EAGAIN;

    lock_acquire(&s->lock);
    if (s->waiters.first == NULL && n <= s->permits) {
        s->permits -= n;
        result = 0;
    }
    lock_release(&s->lock);
    return result;
}

int semaphore_release(semaphore *s, size_t n)
{
    waiters served = {NULL, NULL};
    int result = -EOVERFLOW;

    lock_acquire(&s->lock);
    if (n <= (size_t)INTPTR_MAX - s->permits) {
        s->permits += n;
        serve(s, &served);
        result = 0;
    }
    lock_release(&s->lock);
    wake(&served);
    return result;
}

/* ---- The awaiter: a->buffer is the semaphore; a->result how many are wanted, and then how many
 * it has got, or why it has none ------------------------------------------ */

static bool acquire_suspend(awaiter *a, co_handle waiter)
{
    semaphore *s = a->buffer;
    size_t n = (size_t)a->result;
    bool waits = false;

    (void)waiter;
    if (a->result < 0) {
        return false;
    }
    lock_acquire(&s->lock);
    if (s->waiters.first == NULL && n <= s->permits && claim(a)) {
        s->permits -= n;
    } else if (a->executor == NULL) {
        a->result = -EINVAL;
    } else {
        a->source = s;
        waiters_push(&s->waiters, a);
        waits = true;
    }
    lock_release(&s->lock);
    return waits;
}

static intptr_t acquire_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result < 0 ? a->result : 0;
}

/* Who is behind one that gives up may have been waiting for its turn only. */
static void acquire_cancel(awaiter *a)
{
    semaphore *s = a->buffer;
    waiters served = {NULL, NULL};

    if (a->result < 0) {
        return; /* it has got nothing; the semaphore may be gone */
    }
    lock_acquire(&s->lock);
    if (a->source != NULL) {
        waiters_remove(&s->waiters, a);
    } else {
        s->permits += (size_t)a->result;
    }
    serve(s, &served);
    lock_release(&s->lock);
    a->source = NULL;
    a->result = -ECANCELED;
    wake(&served);
}

static const awaiter_type acquire_type = {"semaphore",    co_always_ready, acquire_suspend,
                                          acquire_resume, acquire_cancel,  NULL};

awaiter semaphore_acquire(semaphore *s, size_t n)
{
    intptr_t wanted = n <= (size_t)INTPTR_MAX ? (intptr_t)n : -EINVAL;

    return (awaiter){.type = &acquire_type, .buffer = s, .result = wanted};
}
