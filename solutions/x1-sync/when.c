/* when.c - x1, reference: waiting for all of several things, or for the first. */
#include "when.h"

#include <errno.h>

/* ---- A part's end -------------------------------------------------------- */

/* True: that was the last that was missing. (Seen by whoever comes last, with all that the others wrote.) */
static bool arrive(when *w)
{
    return atomic_fetch_sub(&w->missing, 1) == 1;
}

/* False: it is over, but so is another alternative, and that was first. */
static bool counts(when_part *p)
{
    return p->executor.alternatives == NULL || claim(&p->awaiter);
}

/* Called by whoever ends the wait for a part, on any thread. */
static void part_schedule(executor *self, co_handle handle)
{
    when_part *p = (when_part *)self;
    when *w = p->when;

    if (handle != p->awaiter.waiter) {
        p->refused = (task *)handle; /* task_await wants to start its child here */
    } else if (counts(p) && arrive(w)) {
        co_wake(w->alternatives.whole, 0);
    }
}

/* ---- Beginning ----------------------------------------------------------- */

static void prepare(when *w, when_part *p)
{
    p->executor = (part_executor){
        .executor = {.schedule = part_schedule, .unschedule = part_unschedule},
        .alternatives = w->any ? &w->alternatives : NULL,
    };
    p->when = w;
    p->refused = NULL;
    p->value = 0;
    p->error = co_error_at(0, NULL, NULL, 0);
    p->awaiter.executor = &p->executor.executor;
    p->awaiter.waiter = w->alternatives.whole->waiter;
}

/* Its parent goes its own way, as if it had never been awaited. */
static void give_back(when_part *p)
{
    p->awaiter.type->await_cancel(&p->awaiter);
    p->refused->at.executor = NULL;
}

static void begin(when *w, when_part *p)
{
    awaiter *a = &p->awaiter;
    bool waits;

    prepare(w, p);
    waits = !a->type->await_ready(a) && a->type->await_suspend(a, a->waiter);
    if (p->refused != NULL) {
        give_back(p);
        waits = false;
    }
    if (!waits && counts(p)) {
        (void)arrive(w); /* never the last: we have not arrived yet */
    }
}

static bool is_decided(const when *w)
{
    return w->any && claimed_part(&w->alternatives) != NULL;
}

/* ---- Ending -------------------------------------------------------------- */

static void finish(when_part *p)
{
    if (p->refused != NULL) {
        p->value = -EINVAL;
    } else {
        p->value = p->awaiter.type->await_resume(&p->awaiter, &p->error);
    }
}

static void withdraw(when_part *p)
{
    if (p->refused == NULL && p->awaiter.type->await_cancel != NULL) {
        p->awaiter.type->await_cancel(&p->awaiter);
    }
}

/* All that were begun, but `except` (NULL: none). */
static void withdraw_all(when *w, const when_part *except)
{
    for (size_t i = 0; i < w->begun; i++) {
        if (&w->parts[i] != except) {
            withdraw(&w->parts[i]);
        }
    }
    w->begun = 0;
}

static void finish_all(when *w, co_error *thrown)
{
    for (size_t i = 0; i < w->count; i++) {
        finish(&w->parts[i]);
        if (thrown->code == 0) {
            *thrown = w->parts[i].error;
        }
    }
}

static intptr_t finish_first(when *w, co_error *thrown)
{
    when_part *first = (when_part *)claimed_part(&w->alternatives);

    withdraw_all(w, first);
    finish(first);
    *thrown = first->error;
    return first - w->parts;
}

/* ---- The awaiter: a->buffer is the whole --------------------------------- */

static bool when_ready(awaiter *a)
{
    const when *w = a->buffer;

    a->result = a->executor == NULL || (w->any && w->count == 0) ? -EINVAL : 0;
    return a->result != 0;
}

/* To have begun everything is one thing more to wait for: so the coroutine, which may be woken on
 * another thread, does not go on while we are still looking at its frame. */
static bool when_suspend(awaiter *a, co_handle waiter)
{
    when *w = a->buffer;

    (void)waiter;
    a->source = w;
    w->alternatives = (alternatives){.whole = a};
    atomic_init(&w->missing, 1 + (w->any ? 1 : w->count));
    for (w->begun = 0; w->begun < w->count && !is_decided(w);) {
        begin(w, &w->parts[w->begun++]);
    }
    if (arrive(w)) {
        a->source = NULL;
        return false;
    }
    return true;
}

static intptr_t when_resume(awaiter *a, co_error *thrown)
{
    when *w = a->buffer;

    if (a->result == 0 && w->any) {
        return finish_first(w, thrown);
    }
    if (a->result == 0) {
        finish_all(w, thrown);
    }
    return a->result;
}

static void when_cancel(awaiter *a)
{
    withdraw_all(a->buffer, NULL);
    a->source = NULL;
    a->result = -ECANCELED;
}

static const awaiter_type all_type = {"when_all",  when_ready,  when_suspend,
                                      when_resume, when_cancel, NULL};
static const awaiter_type any_type = {"when_any",  when_ready,  when_suspend,
                                      when_resume, when_cancel, NULL};

static awaiter whole(when *w, when_part *parts, size_t count, const awaiter_type *type)
{
    w->parts = parts;
    w->count = count;
    w->any = type == &any_type;
    w->begun = 0;
    return (awaiter){.type = type, .buffer = w};
}

awaiter when_all(when *w, when_part *parts, size_t count)
{
    return whole(w, parts, count, &all_type);
}

awaiter when_any(when *w, when_part *parts, size_t count)
{
    return whole(w, parts, count, &any_type);
}
