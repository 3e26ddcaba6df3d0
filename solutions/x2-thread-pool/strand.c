/* strand.c - x2, reference: the word that says where a coroutine of the pool stands. */
#include "pool.h"

static void schedule(executor *self, co_handle handle)
{
    strand *s = (strand *)self;

    if (strand_wake(s, handle)) {
        pool_enqueue(s->pool, s);
    }
}

void strand_init(strand *s, thread_pool *pool, task *root)
{
    s->executor = (executor){.schedule = schedule, .unschedule = strand_forget};
    s->pool = pool;
    s->root = root;
    s->turn = &root->frame;
    atomic_init(&s->state, 0);
}

/* By `unschedule`, which is no one else's; ./lab trace puts itself before `schedule`. */
strand *strand_of(executor *e)
{
    return e != NULL && e->unschedule == strand_forget ? (strand *)e : NULL;
}

static _Noreturn void stop_woken_twice(const strand *s)
{
    (void)fprintf(stderr, "thread pool: '%s' was woken twice: it is ready already\n",
                  s->root->name);
    abort();
}

/* One step for both questions: who sets the bit learns who runs it. release: who takes it sees
 * `turn`, and all that the waker did before. acquire: the worker that ran it last has let go of
 * it (its release is in strand_end), so it may be run, and freed, by others. */
bool strand_wake(strand *s, co_handle turn)
{
    unsigned before;

    ((task *)turn)->queued = true;
    s->turn = turn;
    before = atomic_fetch_or_explicit(&s->state, STRAND_READY, memory_order_acq_rel);
    if ((before & STRAND_READY) != 0) {
        stop_woken_twice(s);
    }
    return (before & STRAND_RUNNING) == 0;
}

/* relaxed: the queue has ordered this after the waker's step. The next one who wakes it knows it
 * from its source of events, to which the body tells it only later. So nobody else writes the
 * word now. */
co_handle strand_begin(strand *s)
{
    co_handle turn = s->turn;

    atomic_store_explicit(&s->state, STRAND_RUNNING, memory_order_relaxed);
    ((task *)turn)->queued = false;
    return turn;
}

/* release: what this worker did with the strand comes before what the next one does. acquire: if
 * it was woken, `turn` is what the waker has written. */
bool strand_end(strand *s)
{
    unsigned before =
        atomic_fetch_and_explicit(&s->state, ~(unsigned)STRAND_RUNNING, memory_order_acq_rel);

    return (before & STRAND_READY) != 0;
}
