/* claim.h - x1, given: of several things that a coroutine awaits at once, only one may happen.
 *
 * when_any(receive from a, receive from b) waits in two lists at a time. If both channels gave it an
 * item, one of the items would be lost. So before a source gives a waiter anything, it *claims* it:
 *
 *     take a out of the list
 *     if (claim(a)) { give it what it waits for; when the lock is released: co_wake(a, ...) }
 *
 * The first claim of one of the alternatives succeeds, those of the others fail: for them the waiter is
 * as good as gone, and the source turns to the next one. An awaiter that is no alternative of anything
 * can be claimed always. Claims are decided under one small lock for all alternatives of the program,
 * which is held for a few instructions, and inside the locks of all objects.
 */
#ifndef CLAIM_H
#define CLAIM_H

#include "waiters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct alternatives alternatives;

/* The executor of an awaiter that is one part of a whole, which the coroutine awaits (see when.h). */
typedef struct part_executor {
    struct executor
        executor; /* first. Its `unschedule` is part_unschedule: that is how it is known */
    struct alternatives *alternatives; /* NULL: the whole wants all of its parts */
} part_executor;

/* A whole that wants one of its parts alone. */
struct alternatives {
    part_executor *claimed; /* by this part; NULL: by none yet. Under the lock of all claims */
    awaiter *whole;         /* what the coroutine awaits: may be a part in its turn */
};

/* Nobody is scheduled by a part's executor but the coroutine that awaits the whole. */
void part_unschedule(executor *self, co_handle handle);

/* True: `a` may be given what it waits for, and must be. Again true for the same one. */
bool claim(awaiter *a);

/* Takes the first waiter that can be claimed out of the list, and all that stand before it and cannot. NULL:
 * there is none. */
awaiter *claim_first(waiters *w);

/* Moves all that can be claimed to the end of `to`. */
void claim_all(waiters *w, waiters *to);

/* As claim_first, for two that meet, as a sender and a receiver do: claims `self` and the first of the list that
 * can be had together with it, or neither. Alternatives of one whole do not meet. */
awaiter *claim_partner(waiters *w, awaiter *self);

/* The part that was claimed; NULL: none yet. */
part_executor *claimed_part(const alternatives *of);

#ifdef __cplusplus
}
#endif

#endif
