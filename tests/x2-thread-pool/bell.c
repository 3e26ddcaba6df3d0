/* bell.c - see bell.h. */
#include "bell.h"

static bool bell_ready(awaiter *a)
{
    (void)a;
    return false;
}

static bool bell_suspend(awaiter *a, co_handle waiter)
{
    struct bell *bell = a->buffer;

    (void)waiter;
    a->source = bell;
    (void)pthread_mutex_lock(&bell->lock);
    bell->waiting = a;
    (void)pthread_cond_broadcast(&bell->somebody);
    (void)pthread_mutex_unlock(&bell->lock);
    return true;
}

static intptr_t bell_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void bell_cancel(awaiter *a)
{
    struct bell *bell = a->buffer;

    bell->cancelled++;
    bell->waiting = NULL;
    a->source = NULL;
}

awaiter bell_wait(struct bell *bell)
{
    static const awaiter_type type = {"bell",      bell_ready,  bell_suspend,
                                      bell_resume, bell_cancel, NULL};

    return (awaiter){.type = &type, .buffer = bell};
}

/* With the lock held. */
static void await_somebody(struct bell *bell)
{
    while (bell->waiting == NULL) {
        (void)pthread_cond_wait(&bell->somebody, &bell->lock);
    }
}

void bell_await(struct bell *bell)
{
    (void)pthread_mutex_lock(&bell->lock);
    await_somebody(bell);
    (void)pthread_mutex_unlock(&bell->lock);
}

void bell_ring(struct bell *bell, intptr_t value)
{
    awaiter *a;

    (void)pthread_mutex_lock(&bell->lock);
    await_somebody(bell);
    a = bell->waiting;
    bell->waiting = NULL;
    (void)pthread_mutex_unlock(&bell->lock);
    co_wake(a, value);
}
