/* claim.c - x1, given: see claim.h. */
#include "claim.h"

#include "lock.h"

static lock claims = {PTHREAD_MUTEX_INITIALIZER};

void part_unschedule(executor *self, co_handle handle)
{
    (void)self;
    (void)handle;
}

/* What `a` is an alternative of; NULL: of nothing. */
static alternatives *alternatives_of(const awaiter *a)
{
    bool is_part = a->executor != NULL && a->executor->unschedule == part_unschedule;

    return is_part ? ((part_executor *)a->executor)->alternatives : NULL;
}

/* An alternative may be the whole of others. What decides is the outermost of them: who has claimed that
 * one has claimed all that is between. NULL: nothing has to be decided. */
static alternatives *outermost(const awaiter *a)
{
    alternatives *found = NULL;

    for (alternatives *next = alternatives_of(a); next != NULL;
         next = alternatives_of(next->whole)) {
        found = next;
    }
    return found;
}

/* The part of `of` in which `a` is. */
static part_executor *part_in(const alternatives *of, const awaiter *a)
{
    while (alternatives_of(a) != of) {
        a = alternatives_of(a)->whole;
    }
    return (part_executor *)a->executor;
}

/* All between has the same fate, so to look at the innermost is enough. */
static bool is_claimed_for(const awaiter *a)
{
    const alternatives *of = alternatives_of(a);

    return of != NULL && of->claimed == (part_executor *)a->executor;
}

static bool can_be_claimed(const awaiter *a)
{
    const alternatives *of = outermost(a);

    return of == NULL || of->claimed == NULL || is_claimed_for(a);
}

static void mark(awaiter *a)
{
    for (alternatives *of = alternatives_of(a); of != NULL; of = alternatives_of(of->whole)) {
        of->claimed = part_in(of, a);
    }
}

bool claim(awaiter *a)
{
    bool can;

    if (alternatives_of(a) == NULL) {
        return true; /* the usual case: no lock */
    }
    lock_acquire(&claims);
    can = can_be_claimed(a);
    if (can) {
        mark(a);
    }
    lock_release(&claims);
    return can;
}

awaiter *claim_first(waiters *w)
{
    while (w->first != NULL) {
        awaiter *a = w->first;

        waiters_remove(w, a);
        if (claim(a)) {
            return a;
        }
    }
    return NULL;
}

void claim_all(waiters *w, waiters *to)
{
    awaiter *a;

    while ((a = claim_first(w)) != NULL) {
        waiters_push(to, a);
    }
}

/* Under the lock of all claims. */
static awaiter *find_partner(waiters *w, awaiter *self)
{
    awaiter *next;

    for (awaiter *a = w->first; a != NULL; a = next) {
        next = a->next;
        if (!can_be_claimed(a)) {
            waiters_remove(w, a);
        } else if (outermost(a) == NULL || outermost(a) != outermost(self)) {
            waiters_remove(w, a);
            return a;
        }
    }
    return NULL;
}

awaiter *claim_partner(waiters *w, awaiter *self)
{
    awaiter *partner;

    if (alternatives_of(self) == NULL) {
        return claim_first(w);
    }
    lock_acquire(&claims);
    partner = can_be_claimed(self) ? find_partner(w, self) : NULL;
    if (partner != NULL) {
        mark(self);
        mark(partner);
    }
    lock_release(&claims);
    return partner;
}

part_executor *claimed_part(const alternatives *of)
{
    part_executor *part;

    lock_acquire(&claims);
    part = of->claimed;
    lock_release(&claims);
    return part;
}
