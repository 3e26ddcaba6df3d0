/* timers.c - milestone 3, reference: a binary min-heap of deadlines. */
#include "timers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };

/* A deadline that has passed when the sleep begins: no need to look at the clock again. */
#define PASSED INT64_MIN

/* The keys lie in the heap itself, so that sifting touches no frame but to note the new position,
 * in sleeper->result. */
struct entry {
    int64_t deadline;
    uint64_t order; /* counts up: equal deadlines wake in the order in which they came */
    awaiter *sleeper;
};

struct timers {
    driver driver; /* first: a driver * is a timers * */
    lab_clock *clock;
    struct entry *heap; /* the children of i are 2i + 1 and 2i + 2, and are not before it */
    size_t count, capacity;
    uint64_t next_order;
};

/* ---- The heap ------------------------------------------------------------ */

static bool is_before(const struct entry *a, const struct entry *b)
{
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->order < b->order;
}

static void place(timers *t, size_t position, struct entry e)
{
    t->heap[position] = e;
    e.sleeper->result = (intptr_t)position;
}

/* Moves the gap at `gap` towards the root until `e` fits there. */
static void sift_up(timers *t, size_t gap, struct entry e)
{
    while (gap > 0 && is_before(&e, &t->heap[(gap - 1) / 2])) {
        place(t, gap, t->heap[(gap - 1) / 2]);
        gap = (gap - 1) / 2;
    }
    place(t, gap, e);
}

/* Moves the gap away from the root until `e` fits there. */
static void sift_down(timers *t, size_t gap, struct entry e)
{
    for (;;) {
        size_t child = 2 * gap + 1;

        if (child + 1 < t->count && is_before(&t->heap[child + 1], &t->heap[child])) {
            child++;
        }
        if (child >= t->count || !is_before(&t->heap[child], &e)) {
            break;
        }
        place(t, gap, t->heap[child]);
        gap = child;
    }
    place(t, gap, e);
}

static int heap_reserve(timers *t, size_t needed)
{
    size_t capacity = t->capacity != 0 ? 2 * t->capacity : FIRST_CAPACITY;
    struct entry *heap;

    if (needed <= t->capacity) {
        return 0;
    }
    heap = realloc(t->heap, capacity * sizeof *heap);
    if (heap == NULL) {
        return -ENOMEM;
    }
    t->heap = heap;
    t->capacity = capacity;
    return 0;
}

static int heap_push(timers *t, int64_t deadline, awaiter *sleeper)
{
    if (heap_reserve(t, t->count + 1) != 0) {
        return -ENOMEM;
    }
    t->count++;
    sift_up(t, t->count - 1, (struct entry){deadline, t->next_order++, sleeper});
    return 0;
}

/* The last entry fills the gap; it may belong above it or below. */
static void heap_remove(timers *t, size_t position)
{
    struct entry last = t->heap[--t->count];

    if (position == t->count) {
        return;
    }
    if (position > 0 && is_before(&last, &t->heap[(position - 1) / 2])) {
        sift_up(t, position, last);
    } else {
        sift_down(t, position, last);
    }
}

/* ---- The awaiter: a->source is the timers, a->result the place in the heap -- */

static bool sleep_ready(awaiter *a)
{
    if (a->executor != NULL) {
        return false;
    }
    a->source = NULL;
    a->result = -EINVAL;
    return true;
}

static bool sleep_suspend(awaiter *a, co_handle waiter)
{
    (void)waiter;
    if (a->deadline == PASSED) {
        co_wake(a, 0);
        return true;
    }
    if (heap_push(a->source, a->deadline, a) != 0) {
        a->source = NULL;
        a->result = -ENOMEM;
        return false;
    }
    return true;
}

static intptr_t sleep_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void sleep_cancel(awaiter *a)
{
    if (a->source != NULL) {
        heap_remove(a->source, (size_t)a->result);
        a->source = NULL;
        a->result = -ECANCELED;
    }
}

static void sleep_describe(const awaiter *a, char *text, size_t size)
{
    (void)snprintf(text, size, "sleep(until %" PRId64 ".%06" PRId64 " ms)",
                   a->deadline / MILLISECONDS(1), a->deadline % MILLISECONDS(1));
}

static const awaiter_type sleep_type = {"sleep",      sleep_ready,  sleep_suspend,
                                        sleep_resume, sleep_cancel, sleep_describe};

static awaiter sleep_awaiter(timers *t, int64_t deadline)
{
    return (awaiter){.type = &sleep_type, .source = t, .deadline = deadline};
}

awaiter sleep_until(timers *t, int64_t deadline)
{
    return sleep_awaiter(t, deadline <= t->clock->now(t->clock) ? PASSED : deadline);
}

awaiter sleep_for(timers *t, int64_t duration)
{
    int64_t deadline;

    if (duration <= 0) {
        return sleep_awaiter(t, PASSED);
    }
    if (__builtin_add_overflow(t->clock->now(t->clock), duration, &deadline)) {
        deadline = INT64_MAX;
    }
    return sleep_awaiter(t, deadline);
}

/* ---- Waking -------------------------------------------------------------- */

/* One look at the clock: who goes to sleep while these run is not among them. */
size_t timers_expire(timers *t)
{
    size_t woken = 0;
    int64_t now;

    if (t->count == 0) {
        return 0;
    }
    now = t->clock->now(t->clock);
    for (; t->count > 0 && t->heap[0].deadline <= now; woken++) {
        awaiter *sleeper = t->heap[0].sleeper;

        heap_remove(t, 0);
        co_wake(sleeper, 0);
    }
    return woken;
}

static bool timers_pending(driver *self)
{
    return ((timers *)self)->count > 0;
}

static int timers_poll(driver *self, bool may_block)
{
    timers *t = (timers *)self;

    if (may_block && t->count > 0 && t->heap[0].deadline > t->clock->now(t->clock)) {
        t->clock->sleep_until(t->clock, t->heap[0].deadline);
    }
    (void)timers_expire(t);
    return 0;
}

driver *timers_driver(timers *t)
{
    return &t->driver;
}

int64_t timers_next_deadline(const timers *t)
{
    return t->count > 0 ? t->heap[0].deadline : INT64_MAX;
}

size_t timers_count(const timers *t)
{
    return t->count;
}

lab_clock *timers_clock(const timers *t)
{
    return t->clock;
}

/* ---- Creating and destroying --------------------------------------------- */

timers *timers_create(lab_clock *clock)
{
    timers *t = calloc(1, sizeof *t);

    if (t != NULL) {
        t->driver = (driver){.pending = timers_pending, .poll = timers_poll};
        t->clock = clock;
    }
    return t;
}

void timers_destroy(timers *t)
{
    if (t == NULL) {
        return;
    }
    while (t->count > 0) {
        awaiter *sleeper = t->heap[0].sleeper;

        heap_remove(t, 0);
        co_wake(sleeper, -ECANCELED);
    }
    free(t->heap);
    free(t);
}
