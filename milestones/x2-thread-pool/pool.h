/* pool.h - x2, from inside: of what a pool consists, and what its files know of each other. */
#ifndef POOL_H
#define POOL_H

#include "global_queue.h"
#include "members.h"
#include "parking.h"
#include "thread_pool.h"
#include "timers.h"

/* ---- The parts ----------------------------------------------------------- */

struct worker {
    thread_pool *pool;
    size_t number; /* 0, 1, ... */
    pthread_t thread;
    ready_ring ring;
    struct sleeper sleeper;
    struct members members; /* the tasks that were started by coroutines which it ran */
};

/* Milestone 3's timers under a lock, and the thread that waits for the earliest deadline. */
struct sleeping {
    pthread_mutex_t lock; /* of all below */
    timers *timers;
    const awaiter_type *type; /* of the awaiters of those timers */
    pthread_cond_t changed;   /* there is an earlier deadline than before, or it is over */
    bool over;
    pthread_t thread;
};

/* Calls that may block, and the threads that make them. */
struct offload {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t arrived;
    awaiter *first, *last; /* the calls that nobody makes yet, linked by awaiter->next */
    size_t waiting;        /* how many these are */
    size_t idle;           /* helpers that wait for a call */
    size_t helpers;        /* how many there are */
    pthread_t thread[THREAD_POOL_HELPERS];
    bool over;
};

struct thread_pool {
    struct worker *workers;
    size_t count; /* of the workers */
    global_queue global;
    struct parking parking;
    struct members members; /* the tasks that were started by other threads */
    struct sleeping sleeping;
    struct offload offload;
    atomic_size_t
        expected; /* coroutines that wait for what will come: a timer, an off-loaded call */
    pthread_mutex_t blocked; /* for threads that block on a task */
    bool closed;             /* its threads have ended: nobody is resumed any more */
    struct members kept;     /* then: the tasks that are not the pool's */
};

/* ---- worker.c ------------------------------------------------------------ */

/* What a worker's thread runs; its argument is the struct worker. */
void *worker_main(void *argument);

/* A strand for which strand_wake was true: into a queue with it. By any thread. */
void pool_enqueue(thread_pool *pool, strand *s);

/* True: something is in a queue. A parking_question. */
bool pool_has_ready(void *pool);

/* The pool of which this thread is a worker or a helper; NULL: of none. */
thread_pool *pool_of_thread(void);
void set_pool_of_thread(thread_pool *pool, struct worker *worker);

/* True: this thread is a worker of `pool`. */
bool pool_runs_coroutine_here(const thread_pool *pool);

/* The list for tasks that this thread starts. */
struct members *pool_members(thread_pool *pool);

/* The pool in which an awaiter's coroutine runs; NULL: in none. */
thread_pool *pool_of_awaiter(const awaiter *a);

/* ---- joining.c ----------------------------------------------------------- */

/* Who takes the task when it ends: the pool, or somebody who has not come yet. */
void joining_init(strand *s, bool pools);

/* The task has ended. `s` may be gone when this returns. */
void joining_end(strand *s);

/* True: it is the pool's. */
bool joining_is_pools(strand *s);

/* ---- sleeping.c, offload.c: called by thread_pool_create and thread_pool_destroy ---- */

/* 0 or a negative errno; nothing is left to stop then. */
int sleeping_start(struct sleeping *s);
void sleeping_stop(struct sleeping *s);

void offload_init(struct offload *o);
void offload_stop(struct offload *o);

/* ---- leaving.c: called by thread_pool_destroy, when the threads have ended ---- */

/* Destroys what is the pool's, and lets go of what is not. Returns how many had not ended. */
int leave_all(thread_pool *pool);

/* The pool inherits a task while it goes. */
void leave_to_the_pool(strand *s);

/* executor->unschedule: `handle`, which has not ended, is being destroyed. */
void strand_forget(executor *self, co_handle handle);

#endif
