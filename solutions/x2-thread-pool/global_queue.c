/* global_queue.c - x2, reference: a list under a lock, and a count that is read without it. */
#include "global_queue.h"

void global_queue_init(global_queue *q)
{
    (void)pthread_mutex_init(&q->lock, NULL);
    q->first = q->last = NULL;
    atomic_init(&q->count, 0);
}

void global_queue_destroy(global_queue *q)
{
    (void)pthread_mutex_destroy(&q->lock);
}

/* With the lock held. seq_cst: after it the caller looks whether anybody sleeps, see parking.h. */
static void set_count(global_queue *q, size_t count)
{
    atomic_store_explicit(&q->count, count, memory_order_seq_cst);
}

/* seq_cst: parking.h's "looks once more" asks this. It orders nothing else: the entries are the
 * lock's. */
size_t global_queue_count(global_queue *q)
{
    return atomic_load_explicit(&q->count, memory_order_seq_cst);
}

void global_queue_push(global_queue *q, strand *s)
{
    s->next = NULL;
    (void)pthread_mutex_lock(&q->lock);
    *(q->last != NULL ? &q->last->next : &q->first) = s;
    q->last = s;
    set_count(q, global_queue_count(q) + 1);
    (void)pthread_mutex_unlock(&q->lock);
}

/* With the lock held; there is one. */
static strand *pop(global_queue *q)
{
    strand *s = q->first;

    q->first = s->next;
    if (q->first == NULL) {
        q->last = NULL;
    }
    return s;
}

static size_t share(size_t count, size_t workers)
{
    size_t part = count / workers + 1;
    size_t most = READY_RING_SIZE / 2;

    part = part < count ? part : count;
    return part < most ? part : most;
}

/* With the lock held: in order, so that others cannot come between. */
static strand *take(global_queue *q, size_t part, ready_ring *to)
{
    strand *first;

    if (part == 0) {
        return NULL;
    }
    set_count(q, global_queue_count(q) - part);
    first = pop(q);
    for (part--; part > 0; part--) {
        (void)ready_ring_push(to, pop(q)); /* it was empty: there is room for half a ring */
    }
    return first;
}

strand *global_queue_take(global_queue *q, size_t workers, ready_ring *to)
{
    strand *first;

    if (global_queue_count(q) == 0) { /* the lock is not worth taking */
        return NULL;
    }
    (void)pthread_mutex_lock(&q->lock);
    first = take(q, share(global_queue_count(q), workers), to);
    (void)pthread_mutex_unlock(&q->lock);
    return first;
}
