/* timers.c - a variant of milestone 3: a heap in which each entry has four children.
 *
 * It is half as deep as a binary one. The heap is an array of awaiters, which hold their own keys: the
 * deadline, in `result` the number of the sleep, and in `buffer` the place in the heap. The array
 * shrinks as well as it grows.
 */
#include "timers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define CHILDREN 4
#define SMALLEST 16

struct timers {
    driver driver; /* first */
    lab_clock *clock;
    awaiter **heap; /* the parent of i is (i - 1) / CHILDREN, and is not after it */
    size_t count;
    size_t room;
    intptr_t next_number;
};

/* ---- The heap ------------------------------------------------------------ */

static bool is_less(const awaiter *a, const awaiter *b)
{
    return a->deadline < b->deadline || (a->deadline == b->deadline && a->result < b->result);
}

static void put(timers *t, size_t place, awaiter *a)
{
    t->heap[place] = a;
    a->buffer = (void *)(uintptr_t)place;
}

static size_t place_of(const awaiter *a)
{
    return (size_t)(uintptr_t)a->buffer;
}

static void swap(timers *t, size_t i, size_t j)
{
    awaiter *a = t->heap[i];

    put(t, i, t->heap[j]);
    put(t, j, a);
}

static void rise(timers *t, size_t i)
{
    while (i > 0 && is_less(t->heap[i], t->heap[(i - 1) / CHILDREN])) {
        swap(t, i, (i - 1) / CHILDREN);
        i = (i - 1) / CHILDREN;
    }
}

/* The first in order of i and its children. */
static size_t least_of_family(const timers *t, size_t i)
{
    size_t least = i;

    for (size_t c = CHILDREN * i + 1; c <= CHILDREN * i + CHILDREN && c < t->count; c++) {
        if (is_less(t->heap[c], t->heap[least])) {
            least = c;
        }
    }
    return least;
}

static void sink(timers *t, size_t i)
{
    size_t least;

    while ((least = least_of_family(t, i)) != i) {
        swap(t, i, least);
        i = least;
    }
}

static bool set_room(timers *t, size_t room)
{
    awaiter **heap = realloc(t->heap, room * sizeof(awaiter *));

    if (heap == NULL) {
        return false;
    }
    t->heap = heap;
    t->room = room;
    return true;
}

static bool add(timers *t, awaiter *a)
{
    if (t->count == t->room && !set_room(t, t->room == 0 ? SMALLEST : 2 * t->room)) {
        return false;
    }
    a->result = t->next_number++;
    put(t, t->count++, a);
    rise(t, t->count - 1);
    return true;
}

static void take_out(timers *t, size_t place)
{
    awaiter *last = t->heap[--t->count];

    if (place < t->count) {
        put(t, place, last);
        rise(t, place);
        sink(t, place_of(last));
    }
    if (t->room > SMALLEST && t->count < t->room / 4) {
        (void)set_room(t, t->room / 2); /* if that fails, it stays large */
    }
}

/* ---- The awaiter --------------------------------------------------------- */

static bool sleep_ready(awaiter *a)
{
    if (a->executor == NULL) {
        a->source = NULL;
        a->result = -EINVAL;
        return true;
    }
    return false;
}

static bool sleep_suspend(awaiter *a, co_handle waiter)
{
    (void)waiter;
    if (a->source == NULL) { /* it has passed */
        co_wake(a, 0);
        return true;
    }
    if (!add(a->source, a)) {
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
    if (a->source == NULL) {
        return;
    }
    take_out(a->source, place_of(a));
    a->source = NULL;
    a->result = -ECANCELED;
}

static void sleep_describe(const awaiter *a, char *text, size_t size)
{
    (void)snprintf(text, size, "sleep until %" PRId64 " us", a->deadline / MICROSECONDS(1));
}

/* Whether it has passed is settled here; source NULL says that it has. */
awaiter sleep_until(timers *t, int64_t deadline)
{
    static const awaiter_type type = {"sleep",      sleep_ready,  sleep_suspend,
                                      sleep_resume, sleep_cancel, sleep_describe};
    bool has_passed = deadline <= t->clock->now(t->clock);

    return (awaiter){.type = &type, .source = has_passed ? NULL : t, .deadline = deadline};
}

awaiter sleep_for(timers *t, int64_t duration)
{
    int64_t now = t->clock->now(t->clock);

    if (duration <= 0) {
        return sleep_until(t, now);
    }
    return sleep_until(t, now > INT64_MAX - duration ? INT64_MAX : now + duration);
}

/* ---- Waking -------------------------------------------------------------- */

int64_t timers_next_deadline(const timers *t)
{
    return t->count == 0 ? INT64_MAX : t->heap[0]->deadline;
}

static void wake_first(timers *t, intptr_t result)
{
    awaiter *a = t->heap[0];

    take_out(t, 0);
    co_wake(a, result);
}

size_t timers_expire(timers *t)
{
    int64_t now = t->clock->now(t->clock);
    size_t woken = 0;

    while (t->count > 0 && t->heap[0]->deadline <= now) {
        wake_first(t, 0);
        woken++;
    }
    return woken;
}

static bool timers_pending(driver *self)
{
    return timers_count((timers *)self) > 0;
}

static int timers_poll(driver *self, bool may_block)
{
    timers *t = (timers *)self;

    if (timers_expire(t) == 0 && may_block && t->count > 0) {
        t->clock->sleep_until(t->clock, timers_next_deadline(t));
        (void)timers_expire(t);
    }
    return 0;
}

driver *timers_driver(timers *t)
{
    return &t->driver;
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
        t->clock = clock;
        t->driver = (driver){timers_pending, timers_poll};
    }
    return t;
}

void timers_destroy(timers *t)
{
    if (t == NULL) {
        return;
    }
    while (t->count > 0) {
        wake_first(t, -ECANCELED);
    }
    free(t->heap);
    free(t);
}
