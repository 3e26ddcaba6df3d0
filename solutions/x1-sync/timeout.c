/* timeout.c - x1, reference: what is awaited, or a sleep: whatever is over first. */
#include "timeout.h"

#include <errno.h>

/* ---- The awaiter: when_any's, with another end. a->buffer is the timeout, that is, its `when` --- */

static timeout *timeout_of(const awaiter *a)
{
    return a->buffer;
}

static bool timeout_ready(awaiter *a)
{
    return timeout_of(a)->any->await_ready(a);
}

static bool timeout_suspend(awaiter *a, co_handle waiter)
{
    return timeout_of(a)->any->await_suspend(a, waiter);
}

static intptr_t timeout_resume(awaiter *a, co_error *thrown)
{
    timeout *t = timeout_of(a);
    intptr_t first = t->any->await_resume(a, thrown);

    if (first < 0 || thrown->code != 0) {
        return first;
    }
    if (first == 1 && t->parts[1].value == 0) {
        return -ETIMEDOUT;
    }
    return t->parts[first].value;
}

static void timeout_cancel(awaiter *a)
{
    timeout_of(a)->any->await_cancel(a);
}

static const awaiter_type timeout_type = {"with_timeout", timeout_ready,  timeout_suspend,
                                          timeout_resume, timeout_cancel, NULL};

awaiter with_timeout(timeout *t, awaiter what, awaiter sleep)
{
    awaiter a = when_any(&t->when, t->parts, 2);

    t->parts[0].awaiter = what;
    t->parts[1].awaiter = sleep;
    t->any = a.type;
    a.type = &timeout_type;
    return a;
}
