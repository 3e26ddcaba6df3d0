/* global.c - the queue that all workers share, by itself. */
#include "global_queue.h"
#include "lab_test.h"
#include "threads.h"

#include <stdlib.h>

enum { PUTTERS = 3, EACH = 20000 };

static strand *new_entries(size_t count)
{
    strand *entries = calloc(count, sizeof *entries);

    if (entries == NULL) {
        fail_test("the test itself: no memory");
    }
    return entries;
}

static void take_share(size_t count, size_t workers, size_t expected)
{
    global_queue q;
    ready_ring *to = calloc(1, sizeof *to);
    strand *entries = new_entries(count + 1);
    const strand *first;

    if (to == NULL) {
        fail_test("the test itself: no memory");
    }
    step("%zu are in the queue: one of %zu workers takes its share", count, workers);
    global_queue_init(&q);
    for (size_t i = 0; i < count; i++) {
        global_queue_push(&q, &entries[i]);
    }
    expect_int("global_queue_count", (intptr_t)global_queue_count(&q), (intptr_t)count);
    first = global_queue_take(&q, workers, to);
    expect_true("it gets the oldest", first == (count > 0 ? &entries[0] : NULL));
    expect_int("entries that came into its ring", (intptr_t)ready_ring_count(to),
               count > 0 ? (intptr_t)expected - 1 : 0);
    for (size_t i = 1; i < expected; i++) {
        expect_true("these are the next ones, in their order", ready_ring_take(to) == &entries[i]);
    }
    expect_int("entries that are left", (intptr_t)global_queue_count(&q),
               (intptr_t)(count - expected));
    for (size_t i = expected; i < count; i++) {
        expect_true("global_queue_take goes on where it was",
                    global_queue_take(&q, SIZE_MAX, to) == &entries[i]);
    }
    global_queue_destroy(&q);
    free(entries);
    free(to);
}

LAB_TEST(global_queue_gives_a_share)
{
    take_share(0, 2, 0);
    take_share(1, 1, 1);
    take_share(1, 4, 1);
    take_share(3, 1, 3);
    take_share(10, 4, 3);
    take_share(100, 2, 51);
    take_share(1000, 2, READY_RING_SIZE / 2);
}

struct market {
    global_queue queue;
    strand *entries; /* EACH for each of the putters */
    atomic_uint next;
};

static void *put(void *argument)
{
    struct market *m = argument;
    size_t number = atomic_fetch_add(&m->next, 1);

    for (size_t i = 0; i < EACH; i++) {
        global_queue_push(&m->queue, &m->entries[number * EACH + i]);
    }
    return NULL;
}

/* Each putter's entries have to come in the order in which they were put in. */
static void take_one(struct market *m, ready_ring *ring, size_t next[PUTTERS])
{
    const strand *s = ready_ring_take(ring);
    size_t number;

    if (s == NULL) {
        s = global_queue_take(&m->queue, 2, ring);
    }
    if (s == NULL) {
        return;
    }
    number = (size_t)(s - m->entries);
    if (number % EACH != next[number / EACH]++) {
        fail_test("entry %zu of a thread came where %zu was due", number % EACH,
                  next[number / EACH] - 1);
    }
}

LAB_TEST(global_queue_takes_from_many_threads)
{
    struct market m = {.entries = new_entries((size_t)PUTTERS * EACH)};
    ready_ring *ring = calloc(1, sizeof *ring);
    size_t next[PUTTERS] = {0};
    pthread_t putters[PUTTERS];

    if (ring == NULL) {
        fail_test("the test itself: no memory");
    }
    step("%d threads put in %d entries each, another one takes out", PUTTERS, EACH);
    global_queue_init(&m.queue);
    for (int i = 0; i < PUTTERS; i++) {
        putters[i] = start_thread(put, &m);
    }
    while (next[0] + next[1] + next[2] < (size_t)PUTTERS * EACH) {
        take_one(&m, ring, next);
    }
    for (int i = 0; i < PUTTERS; i++) {
        join_thread(putters[i]);
        expect_int("entries of one thread", (intptr_t)next[i], EACH);
    }
    expect_true("nothing is left", global_queue_take(&m.queue, 1, ring) == NULL);
    expect_int("global_queue_count", (intptr_t)global_queue_count(&m.queue), 0);
    global_queue_destroy(&m.queue);
    free(ring);
    free(m.entries);
}
