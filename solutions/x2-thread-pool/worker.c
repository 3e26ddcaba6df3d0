/* worker.c - x2, reference: what a worker does: look for a strand, run it, or sleep. */
#include "pool.h"

#include <errno.h>

/* ---- Who this thread is -------------------------------------------------- */

static _Thread_local thread_pool *this_pool;
static _Thread_local struct worker *this_worker; /* NULL: it is no worker */

thread_pool *pool_of_thread(void)
{
    return this_pool;
}

void set_pool_of_thread(thread_pool *pool, struct worker *worker)
{
    this_pool = pool;
    this_worker = worker;
}

static struct worker *worker_here(const thread_pool *pool)
{
    return this_pool == pool ? this_worker : NULL;
}

struct members *pool_members(thread_pool *pool)
{
    struct worker *w = worker_here(pool);

    return w != NULL ? &w->members : &pool->members;
}

bool pool_runs_coroutine_here(const thread_pool *pool)
{
    return worker_here(pool) != NULL;
}

thread_pool *pool_of_awaiter(const awaiter *a)
{
    const strand *s = strand_of(a->executor);

    return s != NULL ? s->pool : NULL;
}

/* ---- Into a queue -------------------------------------------------------- */

/* Behind all that are ready: into the ring (true), but not past those in the global queue. */
static bool put(thread_pool *pool, struct worker *w, strand *s)
{
    bool others_wait = global_queue_count(&pool->global) > 0;

    if (w != NULL && !others_wait && ready_ring_push(&w->ring, s)) {
        return true;
    }
    global_queue_push(&pool->global, s);
    return false;
}

void pool_enqueue(thread_pool *pool, strand *s)
{
    if (pool->closed) {
        return; /* its task is about to be destroyed, or given back */
    }
    (void)put(pool, worker_here(pool), s);
    parking_wake_one(&pool->parking);
}

/* By the worker that has just run it, and now takes the next. If it came into the ring, it is
 * behind others at most, for which somebody was woken when they came. If it came into the global
 * queue, a worker that is about to sleep may have looked there already. */
static void put_again(struct worker *w, strand *s)
{
    if (!put(w->pool, w, s)) {
        parking_wake_one(&w->pool->parking);
    }
}

bool pool_has_ready(void *argument)
{
    thread_pool *pool = argument;

    if (global_queue_count(&pool->global) > 0) {
        return true;
    }
    for (size_t i = 0; i < pool->count; i++) {
        if (ready_ring_count(&pool->workers[i].ring) > 0) {
            return true;
        }
    }
    return false;
}

/* ---- Out of a queue ------------------------------------------------------ */

/* From the next worker on, round about: so the thieves do not all go to the same one. */
static strand *steal(struct worker *w)
{
    thread_pool *pool = w->pool;
    strand *s = NULL;

    for (size_t i = 1; i < pool->count && s == NULL; i++) {
        s = ready_ring_steal(&pool->workers[(w->number + i) % pool->count].ring, &w->ring);
    }
    return s;
}

static strand *find_elsewhere(struct worker *w)
{
    strand *s = global_queue_take(&w->pool->global, w->pool->count, &w->ring);

    return s != NULL ? s : steal(w);
}

/* Is more left, there, or in this ring with what came along, or anywhere? Then another worker
 * can help. And what came along was in no queue for a moment: a worker that looked meanwhile has
 * gone to sleep without it. */
static strand *find_ready(struct worker *w)
{
    strand *s = ready_ring_take(&w->ring);

    if (s == NULL) {
        s = find_elsewhere(w);
        if (s != NULL && pool_has_ready(w->pool)) {
            parking_wake_one(&w->pool->parking);
        }
    }
    return s;
}

/* ---- The loop ------------------------------------------------------------ */

static void run(struct worker *w, strand *s)
{
    co_handle turn = strand_begin(s);

    turn->resume(turn);
    if (task_done(s->root)) {
        joining_end(s);
    } else if (strand_end(s)) {
        put_again(w, s);
    }
}

void *worker_main(void *argument)
{
    struct worker *w = argument;
    thread_pool *pool = w->pool;
    bool goes_on = true;

    set_pool_of_thread(pool, w);
    while (goes_on) {
        strand *s = find_ready(w);

        if (s != NULL) {
            run(w, s);
        } else {
            goes_on = parking_sleep(&pool->parking, &w->sleeper, pool_has_ready, pool);
        }
    }
    return NULL;
}

/* ---- Yielding ------------------------------------------------------------ */

static bool yield_ready(awaiter *a)
{
    bool elsewhere = a->buffer == NULL || pool_of_awaiter(a) != a->buffer;

    a->result = elsewhere ? -EINVAL : 0;
    return elsewhere;
}

/* Ready already, while it is still on the stack: the worker puts it at the end when it has left
 * that. */
static bool yield_suspend(awaiter *a, co_handle waiter)
{
    a->executor->schedule(a->executor, waiter);
    return true;
}

static intptr_t yield_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

awaiter thread_pool_yield(thread_pool *pool)
{
    static const awaiter_type type = {"yield",      yield_ready, yield_suspend,
                                      yield_resume, NULL,        NULL};

    return (awaiter){.type = &type, .buffer = pool};
}
