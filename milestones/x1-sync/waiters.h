/* waiters.h - x1, given: the coroutines that wait for one thing, in the order in which they came.
 *
 * A list through the awaiters themselves, so waiting allocates nothing: `next` is the one behind, and
 * the word `length` has the one before, so that who gives up leaves from the middle in constant
 * time. An awaiter that waits in such a list has for its own use the words `buffer` and `result`.
 * Call this with the lock of the list's object held.
 */
#ifndef WAITERS_H
#define WAITERS_H

#include "co.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct waiters {
    awaiter *first; /* who came first, and is served first; NULL: nobody waits */
    awaiter *last;
} waiters;

static inline awaiter *waiters_before(const awaiter *a)
{
    return (awaiter *)(uintptr_t)a->length;
}

/* True: `a` is in the list. */
static inline bool waiters_has(const waiters *w, const awaiter *a)
{
    return w->first == a || waiters_before(a) != NULL;
}

/* Puts in at the end. */
static inline void waiters_push(waiters *w, awaiter *a)
{
    a->next = NULL;
    a->length = (uintptr_t)w->last;
    *(w->last != NULL ? &w->last->next : &w->first) = a;
    w->last = a;
}

/* Takes out, wherever it is; one that is not in the list stays as it is. */
static inline void waiters_remove(waiters *w, awaiter *a)
{
    awaiter *before = waiters_before(a);

    if (!waiters_has(w, a)) {
        return;
    }
    *(before != NULL ? &before->next : &w->first) = a->next;
    if (a->next != NULL) {
        a->next->length = a->length;
    } else {
        w->last = before;
    }
    a->next = NULL;
    a->length = 0;
}

/* Ends the wait of all that are in the list, in their order. Not with the lock held: have them in a list
 * of your own. */
static inline void waiters_wake(waiters *w, intptr_t result)
{
    while (w->first != NULL) {
        awaiter *a = w->first;

        waiters_remove(w, a);
        co_wake(a, result);
    }
}

#ifdef __cplusplus
}
#endif

#endif
