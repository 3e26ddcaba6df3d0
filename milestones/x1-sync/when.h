/* when.h - x1: waiting for several things at a time: for all of them, or for the first.
 *
 *     struct reader { task task; when when; when_part either[2]; intptr_t item, winner; ... };
 *
 *     self->either[0].awaiter = channel_receive(self->news, &self->item);
 *     self->either[1].awaiter = latch_wait(self->stop);
 *     CO_AWAIT(self, self->winner, when_any(&self->when, self->either, 2));
 *
 * Any awaiter can be a part: of channels (this is `select`), timers, sockets, other wholes. All that it
 * needs is in the frame; waiting allocates nothing. The parts may end on different threads; they and the
 * whole must stay where they are until the await is over.
 *
 * Tasks as parts. task_await(child) of a child that is started (scheduler_start) or has ended. Of a child
 * that has not begun, the part is refused with the value -EINVAL: it would take the place of
 * its parent in the ready queue, and there is one place for several. A part that is withdrawn, or refused, has not
 * consumed its child: it goes on, and is still yours, to await again or to destroy.
 */
#ifndef WHEN_H
#define WHEN_H

#include "claim.h"
#include "task.h"

#ifdef __cplusplus
#include <atomic>
using std::atomic_size_t;
#else
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct when when;

/* One of the things that are awaited. Set `awaiter`; the rest is set by the await. */
typedef struct when_part {
    part_executor executor; /* first: whom the part's end is told */
    struct when *when;
    task *refused; /* a child that had not begun; NULL: there is none */

    struct awaiter awaiter;
    intptr_t value; /* when it is over: what would have been the value of this await alone, */
    struct co_error error; /* or what it has thrown; code 0: nothing */
} when_part;

/* The await as a whole. Nothing of it needs to be set. */
struct when {
    when_part *parts;
    size_t count;
    bool any;              /* one of them is enough */
    size_t begun;          /* how many of the parts are awaited, or were: the first ones */
    atomic_size_t missing; /* how much has to happen until the coroutine can go on */
    struct alternatives alternatives; /* the whole; and of when_any, which part it is */
};

/* Awaiter: until all parts are over. The value is 0; value and error of each are in the part. If
 * any has thrown, the error of the first of these, in their order, is thrown here.
 *   -EINVAL     the coroutine has no executor that could wake it
 *   -ECANCELED  the coroutine was resumed by hand; the parts are withdrawn */
awaiter when_all(when *w, when_part *parts, size_t count);

/* Awaiter: until one part is over. The value is its index; its value is in the part, its error is
 * thrown. The others are withdrawn, as if they had never been awaited: of all the parts, only this one happens.
 * Parts are begun in their order, and not after one that is over at once: so of several that need not wait
 * the first is taken.
 *   -EINVAL, -ECANCELED  as above; -EINVAL also if count is 0 */
awaiter when_any(when *w, when_part *parts, size_t count);

#ifdef __cplusplus
}
#endif

#endif
