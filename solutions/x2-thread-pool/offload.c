/* offload.c - x2, reference: calls that block, on threads which are there for that.
 *
 * A call is its awaiter: buffer is the argument, length the function, result the pool; so it takes
 * no memory. Helpers are started when a call finds none idle, and stay.
 */
#include "pool.h"

#include <errno.h>

typedef intptr_t offloaded(void *);

void offload_init(struct offload *o)
{
    (void)pthread_mutex_init(&o->lock, NULL);
    (void)pthread_cond_init(&o->arrived, NULL);
}

/* ---- Helpers ------------------------------------------------------------- */

/* With the lock held: the next call, or NULL: it is over. */
static awaiter *wait_for_call(struct offload *o)
{
    awaiter *a;

    o->idle++;
    while (o->first == NULL && !o->over) {
        (void)pthread_cond_wait(&o->arrived, &o->lock);
    }
    o->idle--;
    a = o->first;
    if (a != NULL) {
        o->first = a->next;
        o->waiting--;
    }
    return a;
}

static void make_call(awaiter *a)
{
    offloaded *function = (offloaded *)(uintptr_t)a->length;

    co_wake(a, function(a->buffer));
}

static void *helper_main(void *argument)
{
    thread_pool *pool = argument;
    struct offload *o = &pool->offload;
    awaiter *a;

    set_pool_of_thread(pool, NULL);
    (void)pthread_mutex_lock(&o->lock);
    while ((a = wait_for_call(o)) != NULL) {
        (void)pthread_mutex_unlock(&o->lock);
        make_call(a);
        (void)pthread_mutex_lock(&o->lock);
    }
    (void)pthread_mutex_unlock(&o->lock);
    return NULL;
}

/* With the lock held: sees that somebody will make one call more. False: there is nobody. A
 * helper that was told of a call, and has not woken up yet, counts as idle, and its call as
 * waiting. */
static bool find_helper(thread_pool *pool)
{
    struct offload *o = &pool->offload;

    if (o->waiting >= o->idle && o->helpers < THREAD_POOL_HELPERS &&
        pthread_create(&o->thread[o->helpers], NULL, helper_main, pool) == 0) {
        o->helpers++;
    }
    return o->helpers > 0;
}

void offload_stop(struct offload *o)
{
    (void)pthread_mutex_lock(&o->lock);
    o->over = true;
    (void)pthread_cond_broadcast(&o->arrived);
    (void)pthread_mutex_unlock(&o->lock);
    for (size_t i = 0; i < o->helpers; i++) {
        (void)pthread_join(o->thread[i], NULL);
    }
    (void)pthread_cond_destroy(&o->arrived);
    (void)pthread_mutex_destroy(&o->lock);
}

/* ---- The awaiter --------------------------------------------------------- */

/* A refused one has no function any more. */
static void refuse(awaiter *a, int code)
{
    a->length = 0;
    a->result = code;
}

static bool offload_ready(awaiter *a)
{
    thread_pool *pool = pool_of_awaiter(a);

    if (a->length == 0 || pool == NULL || pool != (thread_pool *)a->result) {
        refuse(a, -EINVAL);
    }
    return a->length == 0;
}

static void append(struct offload *o, awaiter *a)
{
    a->next = NULL;
    *(o->first != NULL ? &o->last->next : &o->first) = a;
    o->last = a;
    o->waiting++;
    (void)pthread_cond_signal(&o->arrived);
}

static bool offload_suspend(awaiter *a, co_handle waiter)
{
    thread_pool *pool = pool_of_awaiter(a);
    struct offload *o = &pool->offload;
    bool helped;

    (void)waiter;
    (void)pthread_mutex_lock(&o->lock);
    helped = find_helper(pool);
    if (helped) {
        (void)atomic_fetch_add_explicit(&pool->expected, 1,
                                        memory_order_relaxed); /* as sleeping.c */
        append(o, a);
    } else {
        refuse(a, -EAGAIN);
    }
    (void)pthread_mutex_unlock(&o->lock);
    return helped;
}

static intptr_t offload_resume(awaiter *a, co_error *thrown)
{
    const co_suspend_point *here = &((const task *)a->waiter)->at;

    if (a->length == 0) {
        *thrown = co_error_at((int)a->result, "cannot be off-loaded", here->file, here->line);
        return 0;
    }
    (void)atomic_fetch_sub_explicit(&pool_of_awaiter(a)->expected, 1, memory_order_relaxed);
    return a->result;
}

awaiter thread_pool_offload(thread_pool *pool, intptr_t (*function)(void *), void *argument)
{
    static const awaiter_type type = {"offload",      offload_ready, offload_suspend,
                                      offload_resume, NULL,          NULL};

    return (awaiter){.type = &type,
                     .buffer = argument,
                     .length = (size_t)(uintptr_t)function,
                     .result = (intptr_t)pool};
}
