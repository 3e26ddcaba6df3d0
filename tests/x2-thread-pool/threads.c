/* threads.c - see threads.h. */
#include "threads.h"

#include "clock.h"

#include <dirent.h>
#include <stdlib.h>

void door_ring(struct door *d)
{
    (void)pthread_mutex_lock(&d->lock);
    d->arrived++;
    (void)pthread_cond_broadcast(&d->changed);
    (void)pthread_mutex_unlock(&d->lock);
}

void door_await(struct door *d, unsigned arrived)
{
    (void)pthread_mutex_lock(&d->lock);
    while (d->arrived < arrived) {
        (void)pthread_cond_wait(&d->changed, &d->lock);
    }
    (void)pthread_mutex_unlock(&d->lock);
}

void door_meet(struct door *d, unsigned arrived)
{
    door_ring(d);
    door_await(d, arrived);
}

void door_pass(struct door *d)
{
    door_ring(d);
    (void)pthread_mutex_lock(&d->lock);
    while (!d->open) {
        (void)pthread_cond_wait(&d->changed, &d->lock);
    }
    (void)pthread_mutex_unlock(&d->lock);
}

void door_open(struct door *d)
{
    (void)pthread_mutex_lock(&d->lock);
    d->open = true;
    (void)pthread_cond_broadcast(&d->changed);
    (void)pthread_mutex_unlock(&d->lock);
}

pthread_t start_thread(void *(*function)(void *), void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, function, argument) != 0) {
        fail_test("the test itself: cannot start a thread");
    }
    return thread;
}

void join_thread(pthread_t thread)
{
    (void)pthread_join(thread, NULL);
}

static void *do_nothing(void *argument)
{
    return argument;
}

static bool is_among(const struct threads *t, long id)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->id[i] == id) {
            return true;
        }
    }
    return false;
}

void begin_threads(void)
{
    join_thread(start_thread(do_nothing, NULL));
}

struct threads list_threads(const struct threads *others)
{
    struct threads found = {.count = 0};
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;

    if (folder == NULL) {
        fail_test("the test itself: cannot read /proc/self/task");
    }
    while ((entry = readdir(folder)) != NULL && found.count < MOST_THREADS) {
        long id = strtol(entry->d_name, NULL, 10);

        if (id > 0 && (others == NULL || !is_among(others, id))) {
            found.id[found.count++] = id;
        }
    }
    (void)closedir(folder);
    return found;
}

/* The kernel may tell of a thread for a moment after it was joined. */
void await_threads_gone(const struct threads *others)
{
    while (list_threads(others).count > 0) {
        block_for(1);
    }
}

void block_for(int milliseconds)
{
    lab_clock *clock = lab_clock_monotonic();

    clock->sleep_until(clock, clock->now(clock) + MILLISECONDS(milliseconds));
}

int64_t now(void)
{
    lab_clock *clock = lab_clock_monotonic();

    return clock->now(clock);
}
