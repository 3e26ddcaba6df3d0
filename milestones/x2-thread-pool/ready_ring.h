/* ready_ring.h - x2, from inside: a worker's own queue.
 *
 * A ring of fixed size. One thread, its owner, puts in; all may take out. First in, first out, for
 * thieves and for the owner: a coroutine that yields goes behind all the others. (The well-known
 * deque of Chase and Lev gives its owner the newest first, and so a yield would come right back.)
 * No lock: whoever wants the oldest tries to move `head` on, and has it if nobody was faster.
 */
#ifndef READY_RING_H
#define READY_RING_H

#include "strand.h"

enum { READY_RING_SIZE = 256, CACHE_LINE = 64 };

typedef struct ready_ring {
    atomic_size_t head;     /* of the oldest; counts on for ever, taken modulo the size */
    char apart[CACHE_LINE]; /* the owner writes below, the thieves above: not on one line */
    atomic_size_t tail;     /* of the next free place */
    _Atomic(strand *) places[READY_RING_SIZE];
} ready_ring;

/* Puts in at the end. Its owner only. False: it is full. */
bool ready_ring_push(ready_ring *r, strand *s);

/* Takes out the oldest. NULL: it is empty. */
strand *ready_ring_take(ready_ring *r);

/* Takes half of what is in `from`, one more if the number is odd, the oldest: returns the first
 * of them, and puts the others into `to`, which is the caller's own, and empty. NULL: there was
 * nothing. */
strand *ready_ring_steal(ready_ring *from, ready_ring *to);

/* How many there were, a moment ago. */
size_t ready_ring_count(ready_ring *r);

#endif
