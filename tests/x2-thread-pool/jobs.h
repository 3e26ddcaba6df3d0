/* jobs.h - the coroutines of these tests. Most tell in the trace what they do. */
#ifndef JOBS_H
#define JOBS_H

#include "bell.h"
#include "clock.h"
#include "thread_pool.h"
#include "threads.h"

#include <stdatomic.h>

/* What happened to one or several coroutines; outlives them. */
struct tally {
    atomic_uint resumed;  /* how often a body was entered */
    atomic_uint released; /* how often a frame was released */
};

struct job {
    task task;
    thread_pool *pool;
    struct tally *tally; /* NULL: nobody counts */
    const char *name;
    int steps; /* how often it does what it does */
    int i;
    intptr_t value;   /* what it returns, */
    int code;         /* or, unless 0, throws */
    int64_t duration; /* how long it sleeps */
    task *child; /* what it awaits or joins; it is destroyed with the job if it is still there */
    struct door *door; /* where it blocks its worker */
    struct bell *bell; /* where it waits */
    void *data;        /* whatever one test needs */
    co_error error;
};

/* The frame of a coroutine with that body; ends the test if there is no memory. */
struct job *job_create(thread_pool *pool, const char *name, struct tally *tally,
                       void (*body)(co_handle));
/* The same, but NULL if there is no memory. */
struct job *job_create_if(thread_pool *pool, const char *name, struct tally *tally,
                          void (*body)(co_handle));
/* To be called first in a body: counts. */
struct job *job_enter(co_handle frame);

/* Yields `steps` times and returns `value`. Trace, with name "a" and two steps: "a a a". */
task *yielder(thread_pool *pool, const char *name, struct tally *tally, int steps, intptr_t value);
/* The same, but throws `code` at the end. */
task *thrower(thread_pool *pool, const char *name, struct tally *tally, int steps, int code);
/* Returns `value`, and tells nothing. */
task *silent(thread_pool *pool, struct tally *tally, intptr_t value);
/* Awaits a child that was not started, and returns its value. Trace: "p-awaits p-got-42". */
task *parent(thread_pool *pool, const char *name, struct tally *tally, task *child);
/* Joins a started child, and returns its value. Trace: "p-joins p-got-42". */
task *joiner(thread_pool *pool, const char *name, struct tally *tally, task *child);
/* The same, but catches what is thrown, and returns its code. Trace: "p-joins p-caught-7". */
task *catcher(thread_pool *pool, const char *name, struct tally *tally, task *child);
/* Holds up its worker until the door is open. */
task *blocker(thread_pool *pool, struct door *door);
/* Waits for the bell. Trace: "w-waits w-got-1". */
task *waiter(thread_pool *pool, const char *name, struct tally *tally, struct bell *bell);
/* Sleeps for a duration, then tells its name. Returns `value`. */
task *sleeper(thread_pool *pool, const char *name, struct tally *tally, int64_t duration,
              intptr_t value);

/* A pool; ends the test if there is none. */
thread_pool *new_pool(size_t workers);
/* Ends the test unless these succeed; destroy_pool also expects that nobody was left waiting. */
void schedule(thread_pool *pool, task *t);
void start(thread_pool *pool, task *t);
void destroy_pool(thread_pool *pool);
/* Blocks on a task, and expects this value. */
void expect_result(thread_pool *pool, task *t, intptr_t value);
/* Holds up the only worker of a pool, and returns when it is held. */
void hold(thread_pool *pool, struct door *door);

#endif
