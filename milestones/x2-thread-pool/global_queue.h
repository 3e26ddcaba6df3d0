/* global_queue.h - x2, from inside: the queue that all workers share.
 *
 * For what other threads make ready, and for what finds no room in a ring. While somebody waits
 * here, whoever becomes ready goes here as well, also from inside the pool: so nobody overtakes,
 * and the rings run empty and come here for more. First in, first out; under a lock; linked by
 * strand->next, so it has always room.
 */
#ifndef GLOBAL_QUEUE_H
#define GLOBAL_QUEUE_H

#include "ready_ring.h"

#include <pthread.h>

typedef struct global_queue {
    pthread_mutex_t lock;
    strand *first, *last;
    atomic_size_t count; /* changed under the lock, read without it */
} global_queue;

void global_queue_init(global_queue *q);
void global_queue_destroy(global_queue *q);

/* Puts in at the end. */
void global_queue_push(global_queue *q, strand *s);

/* Takes the share of one of `workers` workers: their part of what is here, and one, but never
 * more than half a ring. Returns the oldest, and puts the others into `to`, which is the
 * caller's own, and empty. NULL: there was nothing. */
strand *global_queue_take(global_queue *q, size_t workers, ready_ring *to);

/* How many there were, a moment ago. */
size_t global_queue_count(global_queue *q);

#endif
