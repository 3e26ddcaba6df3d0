/* threads.h - blocking on purpose: what these tests order threads with, so that none has to
 * sleep and hope. A worker that blocks here is held up, with the coroutine that it runs.
 */
#ifndef THREADS_H
#define THREADS_H

#include "lab_test.h"

#include <pthread.h>

/* Threads arrive, and are let through. */
struct door {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned arrived;
    bool open;
};

#define DOOR_CLOSED                                                                                \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false                              \
    }

/* Arrives, and blocks until the door is open. */
void door_pass(struct door *d);
/* Arrives, and goes on at once. */
void door_ring(struct door *d);
/* Blocks until so many have arrived. */
void door_await(struct door *d, unsigned arrived);
void door_open(struct door *d);
/* Arrives, and blocks until so many have: then all of them were there at the same time. */
void door_meet(struct door *d, unsigned arrived);

/* A thread of the test's own, whose system calls and allocations are not the tested code's
 * concern. */
pthread_t start_thread(void *(*function)(void *), void *argument);
void join_thread(pthread_t thread);

/* The threads of this process, by the kernel's numbers. */
enum { MOST_THREADS = 256 };
struct threads {
    long id[MOST_THREADS];
    size_t count;
};

/* To be called before the first list is made: a sanitizer starts a thread of its own with the
 * program's first one. */
void begin_threads(void);
/* Without those in `others`; NULL: all. */
struct threads list_threads(const struct threads *others);
/* Blocks until there are no others. */
void await_threads_gone(const struct threads *others);

/* Blocks this thread for so many milliseconds. */
void block_for(int milliseconds);
/* Nanoseconds of the monotonic clock. */
int64_t now(void);

#endif
