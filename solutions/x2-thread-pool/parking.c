/* parking.c - x2, reference: no wake-up is lost, and nobody spins. */
#include "parking.h"

void parking_init(struct parking *p, size_t workers)
{
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->quiet, NULL);
    p->asleep = NULL;
    atomic_init(&p->count, 0);
    p->workers = workers;
    p->draining = p->closed = false;
}

void parking_destroy(struct parking *p)
{
    (void)pthread_cond_destroy(&p->quiet);
    (void)pthread_mutex_destroy(&p->lock);
}

void sleeper_init(struct sleeper *s)
{
    (void)pthread_cond_init(&s->wake, NULL);
    s->woken = false;
    s->next = NULL;
}

void sleeper_destroy(struct sleeper *s)
{
    (void)pthread_cond_destroy(&s->wake);
}

/* ---- With the lock held -------------------------------------------------- */

/* seq_cst: "1. says that he sleeps", before the look into the queues. (The lock would not do: who
 * brings work does not take it before he looks.) Down again, no order matters. */
static void lie_down(struct parking *p, struct sleeper *s)
{
    s->woken = false;
    s->next = p->asleep;
    p->asleep = s;
    (void)atomic_fetch_add_explicit(&p->count, 1, memory_order_seq_cst);
}

static struct sleeper *get_up(struct parking *p)
{
    struct sleeper *s = p->asleep;

    p->asleep = s->next;
    (void)atomic_fetch_sub_explicit(&p->count, 1, memory_order_relaxed);
    return s;
}

/* relaxed: it is changed under the lock. */
static size_t sleepers(struct parking *p)
{
    return atomic_load_explicit(&p->count, memory_order_relaxed);
}

static void close_it(struct parking *p)
{
    p->closed = true;
    while (p->asleep != NULL) {
        struct sleeper *s = get_up(p);

        s->woken = true;
        (void)pthread_cond_signal(&s->wake);
    }
}

/* ---- Sleeping and waking ------------------------------------------------- */

bool parking_sleep(struct parking *p, struct sleeper *self, parking_question *is_work_left,
                   void *pool)
{
    bool goes_on;

    (void)pthread_mutex_lock(&p->lock);
    if (!p->closed) {
        lie_down(p, self);
        if (is_work_left(pool)) {
            (void)get_up(p); /* itself: nobody could come between */
            self->woken = true;
        } else if (p->draining && sleepers(p) == p->workers) {
            (void)pthread_cond_signal(&p->quiet);
        }
        while (!self->woken) {
            (void)pthread_cond_wait(&self->wake, &p->lock);
        }
    }
    goes_on = !p->closed;
    (void)pthread_mutex_unlock(&p->lock);
    return goes_on;
}

/* seq_cst: "2. looks whether anybody sleeps", after the work was put into a queue. The chosen
 * one is out of the list at once, and not when it wakes up: the next call chooses another. */
void parking_wake_one(struct parking *p)
{
    if (atomic_load_explicit(&p->count, memory_order_seq_cst) == 0) {
        return;
    }
    (void)pthread_mutex_lock(&p->lock);
    if (p->asleep != NULL) {
        struct sleeper *s = get_up(p);

        s->woken = true;
        (void)pthread_cond_signal(&s->wake);
    }
    (void)pthread_mutex_unlock(&p->lock);
}

/* ---- The end ------------------------------------------------------------- */

void parking_drain(struct parking *p, parking_question *is_quiet, void *pool)
{
    (void)pthread_mutex_lock(&p->lock);
    p->draining = true;
    while (sleepers(p) < p->workers || !is_quiet(pool)) {
        (void)pthread_cond_wait(&p->quiet, &p->lock);
    }
    close_it(p);
    (void)pthread_mutex_unlock(&p->lock);
}

void parking_close(struct parking *p)
{
    (void)pthread_mutex_lock(&p->lock);
    close_it(p);
    (void)pthread_mutex_unlock(&p->lock);
}
