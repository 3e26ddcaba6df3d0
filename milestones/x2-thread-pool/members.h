/* members.h - x2, given: a list of strands, so that the pool finds those that wait when it goes.
 *
 * Each worker has one, and the pool another for tasks that come from outside: so threads that
 * start many tasks do not meet at one lock.
 */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "strand.h"

#include <pthread.h>

struct members {
    pthread_mutex_t lock;
    strand *first;
};

void members_init(struct members *m);
void members_destroy(struct members *m);

/* Enters `s`, which is in no list. */
void members_add(struct members *m, strand *s);

/* Takes `s` out of the list in which it is. By any thread. */
void members_remove(strand *s);

#endif
