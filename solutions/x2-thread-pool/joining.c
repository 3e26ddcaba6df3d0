/* joining.c - x2, reference: who takes a task that has ended, on whatever thread that was.
 *
 * The end of a task and the coming of whoever waits for it can meet. One word decides,
 * strand->heir, which each changes in one step:
 *
 *     nobody  --- joined ---------> the awaiter  --- ended: it is woken -----> ended
 *     nobody  --- ended -------------------------------------------------------> ended
 *     nobody  --- detached -------> the pool     --- ended: it is destroyed
 */
#include "pool.h"

#include <errno.h>

static awaiter the_pool, ended; /* only their addresses are used */

void joining_init(strand *s, bool pools)
{
    atomic_init(&s->heir, pools ? &the_pool : NULL);
}

bool joining_is_pools(strand *s)
{
    return atomic_load_explicit(&s->heir, memory_order_relaxed) == &the_pool;
}

/* acquire: what the task did comes before what is done with it now. */
static bool has_ended(strand *s)
{
    return atomic_load_explicit(&s->heir, memory_order_acquire) == &ended;
}

/* From nobody to `heir`. NULL, or who was there. release: the awaiter is filled in before the
 * worker uses it. acquire: as in has_ended. */
static awaiter *claim(strand *s, awaiter *heir)
{
    awaiter *before = NULL;

    (void)atomic_compare_exchange_strong_explicit(&s->heir, &before, heir, memory_order_acq_rel,
                                                  memory_order_acquire);
    return before;
}

/* Out of the pool: the task is nobody's but the caller's again. */
static task *take_out(strand *s)
{
    task *t = s->root;

    members_remove(s);
    t->at.executor = NULL;
    t->owned = false;
    free(s);
    return t;
}

/* release: the result is there for who finds "ended". acquire: the awaiter is filled in. */
void joining_end(strand *s)
{
    awaiter *heir = atomic_exchange_explicit(&s->heir, &ended, memory_order_acq_rel);

    if (heir == &the_pool) {
        (void)task_destroy(take_out(s));
    } else if (heir != NULL) {
        co_wake(heir, 0);
    }
}

/* The strand of a task that has entered itself, and does not run in the place of another. */
static strand *strand_of_task(const task *t)
{
    strand *s = t != NULL ? strand_of(t->at.executor) : NULL;

    return s != NULL && s->root == t ? s : NULL;
}

/* ---- By a coroutine: a->buffer is the task, a->result why it was refused ---- */

static int refuse_join(const awaiter *a)
{
    const strand *s = strand_of_task(a->buffer);

    if (s == NULL || s->pool != pool_of_awaiter(a)) {
        return -EINVAL;
    }
    return &s->executor == a->executor ? -EDEADLK : 0;
}

static const char *refusal_text(intptr_t code)
{
    switch (code) {
    case -EDEADLK:
        return "the joined task is the joining one, or waits for it";
    case -EBUSY:
        return "the joined task is the pool's, or somebody else joins it";
    default:
        return "the joined task was not started in the pool of the joining one";
    }
}

static bool join_ready(awaiter *a)
{
    a->result = refuse_join(a);
    return a->result != 0 || has_ended(strand_of_task(a->buffer));
}

static bool join_suspend(awaiter *a, co_handle waiter)
{
    const awaiter *before;

    (void)waiter;
    a->source = a->buffer;
    before = claim(strand_of_task(a->buffer), a);
    if (before == NULL) {
        return true; /* and may be running elsewhere */
    }
    a->source = NULL;
    a->result = before == &ended ? 0 : -EBUSY;
    return false;
}

static intptr_t join_resume(awaiter *a, co_error *thrown)
{
    const co_suspend_point *here = &((const task *)a->waiter)->at;
    intptr_t value = 0;
    task *t;

    if (a->result != 0) {
        *thrown = co_error_at((int)a->result, refusal_text(a->result), here->file, here->line);
        return 0;
    }
    t = take_out(strand_of_task(a->buffer));
    if (task_get(t, &value) != 0) {
        *thrown = *task_error(t);
    }
    (void)task_destroy(t);
    return value;
}

/* Only when the pool goes, or is gone: who waits takes the task with him. */
static void join_cancel(awaiter *a)
{
    strand *s = strand_of_task(a->buffer);

    a->source = NULL;
    if (s != NULL) {
        atomic_store_explicit(&s->heir, &the_pool, memory_order_relaxed);
        leave_to_the_pool(s);
    } else {
        (void)task_destroy(a->buffer);
    }
}

static void join_describe(const awaiter *a, char *text, size_t size)
{
    (void)snprintf(text, size, "join of '%s'", ((const task *)a->buffer)->name);
}

awaiter thread_pool_join(task *t)
{
    static const awaiter_type type = {"join",      join_ready,  join_suspend,
                                      join_resume, join_cancel, join_describe};

    return (awaiter){.type = &type, .buffer = t};
}

/* ---- By nobody ----------------------------------------------------------- */

int thread_pool_detach(task *t)
{
    strand *s = strand_of_task(t);
    const awaiter *before;
    bool closed;

    if (s == NULL) {
        return -EINVAL;
    }
    closed = s->pool->closed;
    before = claim(s, &the_pool); /* if nobody was there, it may be gone now */
    if (before == &ended) {
        (void)task_destroy(take_out(s));
    } else if (before == NULL && closed) {
        leave_to_the_pool(s);
    }
    return before == NULL || before == &ended ? 0 : -EBUSY;
}

/* ---- By a thread: it has an awaiter, too, with an executor that wakes it ---- */

struct blocked {
    executor executor; /* first */
    pthread_mutex_t *lock;
    pthread_cond_t over;
    bool woken;
};

/* Under the pool's lock, which outlives the thread's struct. */
static void wake_blocked(executor *self, co_handle handle)
{
    struct blocked *b = (struct blocked *)self;
    pthread_mutex_t *lock = b->lock;

    (void)handle;
    (void)pthread_mutex_lock(lock);
    b->woken = true;
    (void)pthread_cond_signal(&b->over);
    (void)pthread_mutex_unlock(lock);
}

static void wait_until_woken(struct blocked *b)
{
    (void)pthread_mutex_lock(b->lock);
    while (!b->woken) {
        (void)pthread_cond_wait(&b->over, b->lock);
    }
    (void)pthread_mutex_unlock(b->lock);
}

/* 0, or -EBUSY: somebody else is the heir. */
static int block_until_end(strand *s)
{
    struct blocked b = {{wake_blocked, NULL}, &s->pool->blocked, PTHREAD_COND_INITIALIZER, false};
    awaiter a = {.executor = &b.executor};
    const awaiter *before = claim(s, &a);

    if (before == NULL) {
        wait_until_woken(&b);
    }
    (void)pthread_cond_destroy(&b.over);
    return before == NULL || before == &ended ? 0 : -EBUSY;
}

int thread_pool_block_on(thread_pool *pool, task *t, intptr_t *value)
{
    const strand *s = strand_of_task(t);
    int result = 0;

    if (pool_runs_coroutine_here(pool)) {
        return -EBUSY;
    }
    if (s == NULL || s->pool != pool) {
        result = thread_pool_start(pool, t);
    }
    if (result == 0) {
        result = block_until_end(strand_of_task(t));
    }
    if (result != 0) {
        return result;
    }
    t = take_out(strand_of_task(t));
    result = task_get(t, value);
    (void)task_destroy(t);
    return result;
}
