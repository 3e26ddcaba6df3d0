/* ring.c - a worker's own queue, by itself. */
#include "clock.h"
#include "lab_test.h"
#include "ready_ring.h"
#include "threads.h"

#include <sched.h>
#include <stdlib.h>

enum { TAKERS = 3, MANY = 20000, TIMES = 50 };

static ready_ring *new_ring(void)
{
    ready_ring *r = calloc(1, sizeof *r);

    if (r == NULL) {
        fail_test("the test itself: no memory");
    }
    return r;
}

/* Entries are only passed on: these stand for strands. */
static strand *new_entries(size_t count)
{
    strand *entries = calloc(count, sizeof *entries);

    if (entries == NULL) {
        fail_test("the test itself: no memory");
    }
    return entries;
}

static void push(ready_ring *r, strand *s)
{
    expect_true("ready_ring_push finds room", ready_ring_push(r, s));
}

static void expect_entry(const char *what, const strand *actual, const strand *entries,
                         size_t expected)
{
    if (actual == NULL) {
        fail_test("%s\nexpected: entry %zu\nactual:   NULL", what, expected);
    }
    expect_int(what, actual - entries, (intptr_t)expected);
}

LAB_TEST(ring_is_first_in_first_out)
{
    ready_ring *r = new_ring();
    strand *entries = new_entries(1000);
    size_t in = 0, out = 0;

    step("take from an empty ring");
    expect_true("it gives NULL", ready_ring_take(r) == NULL);
    expect_int("ready_ring_count", (intptr_t)ready_ring_count(r), 0);
    step("put in three, take out two, until 1000 have gone through: the ring wraps round");
    while (out < 1000) {
        for (int i = 0; i < 3 && in < 1000; i++) {
            push(r, &entries[in++]);
        }
        for (int i = 0; i < (in < 600 ? 2 : 4) && out < in; i++) {
            expect_entry("ready_ring_take", ready_ring_take(r), entries, out++);
        }
        expect_int("ready_ring_count", (intptr_t)ready_ring_count(r), (intptr_t)(in - out));
    }
    expect_true("then it is empty", ready_ring_take(r) == NULL);
    free(entries);
    free(r);
}

LAB_TEST(ring_refuses_when_it_is_full)
{
    ready_ring *r = new_ring();
    strand *entries = new_entries(2 * READY_RING_SIZE);

    for (size_t i = 0; i < READY_RING_SIZE; i++) {
        push(r, &entries[i]);
    }
    step("the ring has %d entries: one more", READY_RING_SIZE);
    expect_true("it is refused", !ready_ring_push(r, &entries[READY_RING_SIZE]));
    expect_int("ready_ring_count", (intptr_t)ready_ring_count(r), READY_RING_SIZE);
    for (size_t i = 0; i < READY_RING_SIZE; i++) {
        step("take out the oldest, and put in one more: now there is room");
        expect_entry("ready_ring_take", ready_ring_take(r), entries, i);
        push(r, &entries[READY_RING_SIZE + i]);
    }
    step("it is full again");
    expect_true("one more is refused", !ready_ring_push(r, &entries[0]));
    free(entries);
    free(r);
}

static void steal_from(size_t count, size_t expected)
{
    ready_ring *from = new_ring();
    ready_ring *to = new_ring();
    strand *entries = new_entries(READY_RING_SIZE);

    step("steal from a ring with %zu", count);
    for (size_t i = 0; i < count; i++) {
        push(from, &entries[i]);
    }
    if (expected == 0) {
        expect_true("ready_ring_steal gives NULL", ready_ring_steal(from, to) == NULL);
    } else {
        expect_entry("ready_ring_steal gives the oldest", ready_ring_steal(from, to), entries, 0);
    }
    expect_int("entries in the thief's ring", (intptr_t)ready_ring_count(to),
               expected > 0 ? (intptr_t)expected - 1 : 0);
    for (size_t i = 1; i < expected; i++) {
        expect_entry("ready_ring_take(to)", ready_ring_take(to), entries, i);
    }
    for (size_t i = expected; i < count; i++) {
        expect_entry("ready_ring_take(from)", ready_ring_take(from), entries, i);
    }
    expect_true("nothing is left", ready_ring_take(from) == NULL);
    free(entries);
    free(to);
    free(from);
}

LAB_TEST(ring_steals_the_older_half)
{
    steal_from(0, 0);
    steal_from(1, 1);
    steal_from(2, 1);
    steal_from(3, 2);
    steal_from(4, 2);
    steal_from(7, 4);
    steal_from(READY_RING_SIZE, READY_RING_SIZE / 2);
}

/* ---- Several threads ------------------------------------------------------------------------- */

struct market {
    ready_ring *ring;
    strand *entries;
    atomic_uint *taken; /* how often, of each */
    atomic_uint total;
};

/* Notes that the entry was taken; true: it is younger than the one before. */
static bool note(struct market *m, const strand *s, size_t *last)
{
    size_t number = (size_t)(s - m->entries);
    bool ordered = *last == SIZE_MAX || number > *last;

    atomic_fetch_add(&m->taken[number], 1);
    atomic_fetch_add(&m->total, 1);
    *last = number;
    return ordered;
}

static void *take_all(void *argument)
{
    struct market *m = argument;
    size_t last = SIZE_MAX;

    while (atomic_load(&m->total) < MANY) {
        const strand *s = ready_ring_take(m->ring);

        if (s == NULL) {
            (void)sched_yield(); /* there may be fewer processors than threads */
        } else if (!note(m, s, &last)) {
            fail_test("a thread has taken entry %td after a younger one", s - m->entries);
        }
    }
    return NULL;
}

/* The owner takes, too, when it finds no room. */
static void put_all(struct market *m)
{
    for (size_t i = 0; i < MANY; i++) {
        while (!ready_ring_push(m->ring, &m->entries[i])) {
            size_t none = SIZE_MAX;
            const strand *s = ready_ring_take(m->ring);

            if (s != NULL) {
                (void)note(m, s, &none);
            }
        }
    }
}

static void go_to_market(void)
{
    struct market m = {.ring = new_ring(), .entries = new_entries(MANY)};
    pthread_t takers[TAKERS];

    m.taken = calloc(MANY, sizeof *m.taken);
    if (m.taken == NULL) {
        fail_test("the test itself: no memory");
    }
    for (int i = 0; i < TAKERS; i++) {
        takers[i] = start_thread(take_all, &m);
    }
    put_all(&m);
    for (int i = 0; i < TAKERS; i++) {
        join_thread(takers[i]);
    }
    expect_int("entries that were taken", (intptr_t)atomic_load(&m.total), MANY);
    for (size_t i = 0; i < MANY; i++) {
        if (atomic_load(&m.taken[i]) != 1) {
            fail_test("entry %zu was taken %u times", i, atomic_load(&m.taken[i]));
        }
    }
    free(m.taken);
    free(m.entries);
    free(m.ring);
}

/* Who takes too much or too little is seen only if two threads are there in the same moment: so, often; but
 * on a slow machine not for ever. */
LAB_TEST(ring_gives_each_entry_once)
{
    int64_t began = now();

    for (int i = 0; i < TIMES && now() - began < SECONDS(2); i++) {
        step("%d threads take what another one puts in, %d entries", TAKERS, MANY);
        go_to_market();
    }
}
