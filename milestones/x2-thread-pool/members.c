/* members.c - x2, given: see members.h. */
#include "members.h"

/* On Linux, mutexes and condition variables with default attributes take no memory: to make one
 * cannot fail. */
void members_init(struct members *m)
{
    (void)pthread_mutex_init(&m->lock, NULL);
    m->first = NULL;
}

void members_destroy(struct members *m)
{
    (void)pthread_mutex_destroy(&m->lock);
}

void members_add(struct members *m, strand *s)
{
    (void)pthread_mutex_lock(&m->lock);
    s->home = m;
    s->previous_member = NULL;
    s->next_member = m->first;
    if (m->first != NULL) {
        m->first->previous_member = s;
    }
    m->first = s;
    (void)pthread_mutex_unlock(&m->lock);
}

void members_remove(strand *s)
{
    struct members *m = s->home; /* set before anybody knew the strand */

    (void)pthread_mutex_lock(&m->lock);
    *(s->previous_member != NULL ? &s->previous_member->next_member : &m->first) = s->next_member;
    if (s->next_member != NULL) {
        s->next_member->previous_member = s->previous_member;
    }
    (void)pthread_mutex_unlock(&m->lock);
}
