/* bell.h - something for a coroutine to wait for, which any thread may end. */
#ifndef BELL_H
#define BELL_H

#include "task.h"

#include <pthread.h>

struct bell {
    pthread_mutex_t lock;
    pthread_cond_t somebody; /* waits */
    awaiter *waiting;
    unsigned cancelled; /* how often await_cancel was called */
};

#define BELL                                                                                       \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0                               \
    }

/* Waits until it rings; the value is what it rings with. One coroutine at a time. */
awaiter bell_wait(struct bell *bell);
/* Blocks the calling thread until somebody waits; ends the wait. */
void bell_ring(struct bell *bell, intptr_t value);
/* Blocks the calling thread until somebody waits. */
void bell_await(struct bell *bell);

#endif
