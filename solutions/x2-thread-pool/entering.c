/* entering.c - x2, reference: tasks come into the pool. */
#include "pool.h"

#include <errno.h>

/* What is in a pool may be running just now: of such a task only the executor is looked at,
 * which stays what it is. */
static int refuse(const thread_pool *pool, const task *t)
{
    const strand *s;

    if (t == NULL) {
        return -ENOMEM;
    }
    s = strand_of(t->at.executor);
    if (s != NULL) {
        return s->pool == pool ? -EALREADY : -EBUSY;
    }
    if (task_done(t)) {
        return -EINVAL;
    }
    if (t->at.running || t->at.executor != NULL || t->at.awaiting.source != NULL ||
        t->continuation != NULL) {
        return -EBUSY;
    }
    return pool->closed ? -ECANCELED : 0;
}

/* All memory that the task will need in this pool is its strand: queues are linked through it,
 * so a wake-up cannot fail. `owned` keeps task_await away: the end of a task that runs on its
 * own is another thread's to tell (thread_pool_join). */
static int enter(thread_pool *pool, task *t, bool pools)
{
    strand *s = calloc(1, sizeof *s);

    if (s == NULL) {
        return -ENOMEM;
    }
    strand_init(s, pool, t);
    joining_init(s, pools);
    t->at.executor = &s->executor;
    t->owned = true;
    members_add(pool_members(pool), s);
    s->executor.schedule(&s->executor, &t->frame); /* from here on it may run, and be gone */
    return 0;
}

int thread_pool_start(thread_pool *pool, task *t)
{
    int result = refuse(pool, t);

    return result != 0 ? result : enter(pool, t, false);
}

int thread_pool_schedule(thread_pool *pool, task *t)
{
    int result = refuse(pool, t);

    if (result != 0) {
        return result;
    }
    result = enter(pool, t, true);
    if (result != 0) {
        (void)task_destroy(t);
    }
    return result;
}
