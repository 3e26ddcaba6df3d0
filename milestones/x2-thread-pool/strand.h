/* strand.h - x2, from inside: where a task of the pool stands.
 *
 * Each task that enters the pool is given a strand, which is its executor. As an awaited child
 * takes over its parent's executor (task_await), the strand is that of all coroutines below the
 * task, too: of such a chain only one can run at a time, so one word says where all of them
 * stand.
 *
 *            strand_wake: true                 strand_begin
 *   waiting -------------------->  ready  -------------------->  running
 *      ^                             ^                            |   |
 *      |   strand_end: false         |                            |   | strand_wake: false
 *      +-----------------------------|----------------------------+   v
 *                                    +------------------  running, and woken
 *                                     strand_end: true
 *
 * Who is told "true" puts the strand into a queue. A coroutine whose await_suspend has made its
 * waiter known can be woken while it is still on the stack of the worker that runs it: that is
 * only noted, and this worker queues it when the body has returned. So a coroutine never runs
 * twice at a time, and who resumed it may still look at it, to see whether it has ended.
 */
#ifndef STRAND_H
#define STRAND_H

#include "task.h"

#include <stdatomic.h>

typedef struct strand strand;
struct members;

/* Bits of its state; neither: it waits. */
enum { STRAND_READY = 1, STRAND_RUNNING = 2 };

struct strand {
    executor executor; /* first: an executor * is a strand * */
    struct thread_pool *pool;
    task *root;        /* the task that entered */
    co_handle turn;    /* whom to resume next: the root, or the last of those that it awaits */
    atomic_uint state; /* STRAND_READY and STRAND_RUNNING */

    _Atomic(awaiter *) heir; /* who takes the root when it has ended: see joining.c */

    strand *next; /* the global queue's */

    /* The list of all that are in the pool: see members.h. */
    struct members *home;
    strand *previous_member, *next_member;
};

/* `s` was allocated with calloc: it waits, and its first turn will be the task's. */
void strand_init(strand *s, struct thread_pool *pool, task *root);

/* The strand that an executor is; NULL: it is another one's, or NULL. */
strand *strand_of(executor *e);

/* `turn`, a coroutine of this strand, has nothing to wait for any more. True: put the strand into a
 * queue. By any thread, but by one at a time, since a coroutine waits for one thing; woken twice,
 * it stops the program with a sentence. */
bool strand_wake(strand *s, co_handle turn);

/* The worker that took it from a queue calls this, and resumes whom it returns; */
co_handle strand_begin(strand *s);

/* and that, after the body has returned. True: put it into a queue again. False: from here on
 * another thread may run it, or free it: do not touch it any more. */
bool strand_end(strand *s);

#endif
