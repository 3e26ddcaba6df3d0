/* leaving.c - x2, reference: the pool's threads have ended; what becomes of those that still wait.
 *
 * One thread is left, so nothing here needs to be atomic. But what a task releases may do
 * anything: wake others, detach or destroy some. So the lists may change at each step, and only
 * their first member is sure.
 */
#include "pool.h"

/* No coroutine but those of a pool that goes can be destroyed before its end: its worker might
 * be about to resume it. */
void strand_forget(executor *self, co_handle handle)
{
    strand *s = (strand *)self;

    if (!s->pool->closed) {
        (void)fprintf(
            stderr, "thread pool: '%s' was destroyed while it was in the pool: join or detach it\n",
            ((task *)handle)->name);
        abort();
    }
    if (handle == (co_handle)s->root) {
        s->root = NULL; /* the strand stays: what the task awaits is going to be destroyed, too */
    }
}

static void move_to(struct members *m, strand *s)
{
    members_remove(s);
    members_add(m, s);
}

void leave_to_the_pool(strand *s)
{
    move_to(&s->pool->members, s);
}

static void sort(thread_pool *pool, struct members *from)
{
    strand *s = from->first;

    while (s != NULL) {
        strand *next = s->next_member;

        move_to(joining_is_pools(s) ? &pool->members : &pool->kept, s);
        s = next;
    }
}

/* Out of the list, and gone. Returns 1 if its task had not ended. */
static int drop(strand *s, bool had_ended)
{
    members_remove(s);
    free(s);
    return had_ended ? 0 : 1;
}

static bool has_ended(const strand *s)
{
    return s->root != NULL && task_done(s->root);
}

static int destroy(strand *s)
{
    bool had_ended = has_ended(s);

    (void)task_destroy(s->root); /* which goes through strand_forget */
    return drop(s, had_ended);
}

/* `link` and what it awaits in its place outlive the pool: nobody may be called any more. */
static void disown(strand *s)
{
    task *link = s->root;

    while (link != NULL && link->at.executor == &s->executor) {
        link->at.executor = NULL;
        link->at.awaiting.executor = NULL;
        link->queued = link->owned = false;
        link = task_awaiting(link);
    }
}

static int let_go(strand *s)
{
    bool had_ended = has_ended(s);

    disown(s);
    return drop(s, had_ended);
}

int leave_all(thread_pool *pool)
{
    int waited = 0;

    pool->closed = true;
    for (size_t i = 0; i < pool->count; i++) {
        sort(pool, &pool->workers[i].members);
    }
    sort(pool, &pool->members);
    /* Each step takes the first one out, in members.c, which clang-tidy does not see. */
    while (pool->members.first != NULL) {
        waited += destroy(pool->members.first); // NOLINT(clang-analyzer-unix.Malloc)
    }
    while (pool->kept.first != NULL) {
        waited += let_go(pool->kept.first); // NOLINT(clang-analyzer-unix.Malloc)
    }
    return waited;
}
