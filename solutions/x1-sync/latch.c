/* latch.c - x1, reference: opens once, for all. */
#include "latch.h"

#include "claim.h"

#include <errno.h>

void latch_init(latch *l, size_t count)
{
    *l = (latch){.count = count};
    lock_init(&l->lock);
}

void latch_destroy(latch *l)
{
    waiters woken = {NULL, NULL};

    lock_acquire(&l->lock);
    claim_all(&l->waiters, &woken);
    lock_release(&l->lock);
    lock_destroy(&l->lock);
    waiters_wake(&woken, -ECANCELED);
}

int latch_count_down(latch *l, size_t n)
{
    waiters woken = {NULL, NULL};
    int result = -EINVAL;

    lock_acquire(&l->lock);
    if (n <= l->count) {
        l->count -= n;
        result = 0;
    }
    if (l->count == 0) {
        claim_all(&l->waiters, &woken);
    }
    lock_release(&l->lock);
    waiters_wake(&woken, 0);
    return result;
}

/* ---- The awaiter: a->source is the latch --------------------------------- */

static bool wait_suspend(awaiter *a, co_handle waiter)
{
    latch *l = a->buffer;
    bool waits;

    (void)waiter;
    lock_acquire(&l->lock);
    waits = l->count > 0 && a->executor != NULL;
    a->result = l->count > 0 ? -EINVAL : 0;
    if (waits) {
        a->source = l;
        waiters_push(&l->waiters, a);
    }
    lock_release(&l->lock);
    return waits;
}

static intptr_t wait_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void wait_cancel(awaiter *a)
{
    latch *l = a->source;

    if (l == NULL) {
        return;
    }
    lock_acquire(&l->lock);
    waiters_remove(&l->waiters, a);
    lock_release(&l->lock);
    a->source = NULL;
    a->result = -ECANCELED;
}

static const awaiter_type wait_type = {"latch",     co_always_ready, wait_suspend,
                                       wait_resume, wait_cancel,     NULL};

awaiter latch_wait(latch *l)
{
    return (awaiter){.type = &wait_type, .buffer = l};
}
