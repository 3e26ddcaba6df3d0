/* ready_ring.c - x2, reference: a queue with one producer and many consumers, without a lock.
 *
 * Why nobody takes twice, or what is not there: the entries are those from `head` to before
 * `tail`. Only the owner moves `tail`, and only after the place is filled. `head` goes up by one
 * for each entry that is taken, and compare-and-exchange lets one taker have each step. A place
 * is used again only when `head` has passed it; a slow taker may then read the new entry there,
 * but its exchange fails, as `head` is not what it was (it counts on, and does not come back).
 */
#include "ready_ring.h"

static _Atomic(strand *) *place(ready_ring *r, size_t position)
{
    return &r->places[position % READY_RING_SIZE];
}

bool ready_ring_push(ready_ring *r, strand *s)
{
    /* relaxed: this thread's own. */
    size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    /* acquire: whoever took the entry before from this place has read it (release in take). */
    size_t head = atomic_load_explicit(&r->head, memory_order_acquire);

    if (tail - head == READY_RING_SIZE) {
        return false;
    }
    /* relaxed: `tail` publishes it. */
    atomic_store_explicit(place(r, tail), s, memory_order_relaxed);
    /* release would do for the takers: who sees this sees the entry. seq_cst: after it the
     * caller looks whether anybody sleeps, see parking.h. */
    atomic_store_explicit(&r->tail, tail + 1, memory_order_seq_cst);
    return true;
}

strand *ready_ring_take(ready_ring *r)
{
    /* acquire: who moved `head` here had seen `tail` beyond it, so the `tail` read next is not
     * behind. */
    size_t head = atomic_load_explicit(&r->head, memory_order_acquire);

    for (;;) {
        /* acquire: the entries before `tail` are there. */
        size_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
        strand *oldest;

        if (head == tail) {
            return NULL;
        }
        oldest = atomic_load_explicit(place(r, head), memory_order_relaxed);
        /* release: the entry was read before its place is given free (acquire in push). acquire,
         * for success and for failure: as at the first load of `head`, for those that read it
         * from here. */
        if (atomic_compare_exchange_weak_explicit(&r->head, &head, head + 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return oldest;
        }
    }
}

strand *ready_ring_steal(ready_ring *from, ready_ring *to)
{
    size_t count = ready_ring_count(from);
    size_t others = count > 0 ? (count - 1) / 2 : 0;
    strand *first = ready_ring_take(from);

    for (; others > 0; others--) {
        strand *s = ready_ring_take(from);

        if (s == NULL) {
            break;
        }
        (void)ready_ring_push(to, s); /* it was empty: there is room for half a ring */
    }
    return first;
}

/* `head` first: it never overtakes the `tail` that is read after it. seq_cst: parking.h's "looks
 * once more" asks this. */
size_t ready_ring_count(ready_ring *r)
{
    size_t head = atomic_load_explicit(&r->head, memory_order_acquire);
    size_t tail = atomic_load_explicit(&r->tail, memory_order_seq_cst);
    size_t count = tail - head;

    return count < READY_RING_SIZE ? count : READY_RING_SIZE; /* `head` may be old */
}
