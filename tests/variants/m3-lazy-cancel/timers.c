/* timers.c - a variant of milestone 3: who leaves is marked in the heap, and dropped when it surfaces.
 *
 * Entries need not know where they are. When most of the heap is marked, it is swept, so that it stays
 * in proportion to those that sleep. The entry at the root is never a marked one.
 */
#include "timers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { FIRST_ROOM = 16 };

struct entry {
    int64_t deadline;
    uint64_t order;
    awaiter *sleeper; /* NULL: it has left */
};

struct timers {
    driver driver; /* first */
    lab_clock *clock;
    struct entry **heap; /* the children of i are 2i + 1 and 2i + 2 */
    size_t used, room;
    size_t sleeping; /* those of the entries that have not left */
    uint64_t order;
};

/* ---- The heap ------------------------------------------------------------ */

static bool is_earlier(const struct entry *a, const struct entry *b)
{
    return a->deadline < b->deadline || (a->deadline == b->deadline && a->order < b->order);
}

static void swap(struct entry **a, struct entry **b)
{
    struct entry *e = *a;

    *a = *b;
    *b = e;
}

static void move_up(struct entry **heap, size_t i)
{
    for (; i > 0 && is_earlier(heap[i], heap[(i - 1) / 2]); i = (i - 1) / 2) {
        swap(&heap[i], &heap[(i - 1) / 2]);
    }
}

static void move_down(struct entry **heap, size_t used, size_t i)
{
    for (;;) {
        size_t earliest = i, left = 2 * i + 1, right = 2 * i + 2;

        if (left < used && is_earlier(heap[left], heap[earliest])) {
            earliest = left;
        }
        if (right < used && is_earlier(heap[right], heap[earliest])) {
            earliest = right;
        }
        if (earliest == i) {
            return;
        }
        swap(&heap[i], &heap[earliest]);
        i = earliest;
    }
}

static void drop_root(timers *t)
{
    free(t->heap[0]);
    t->heap[0] = t->heap[--t->used];
    move_down(t->heap, t->used, 0);
}

/* After this the root, if there is one, sleeps. */
static void drop_marked_at_root(timers *t)
{
    while (t->used > 0 && t->heap[0]->sleeper == NULL) {
        drop_root(t);
    }
}

/* Frees all that are marked, and makes a heap of the others. */
static void sweep(timers *t)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->used; i++) {
        if (t->heap[i]->sleeper != NULL) {
            t->heap[kept++] = t->heap[i];
        } else {
            free(t->heap[i]);
        }
    }
    t->used = kept;
    for (size_t i = kept / 2; i-- > 0;) {
        move_down(t->heap, kept, i);
    }
}

static int reserve_one(timers *t)
{
    size_t room = t->room == 0 ? FIRST_ROOM : 2 * t->room;
    struct entry **heap;

    if (t->used < t->room) {
        return 0;
    }
    heap = reallocarray(t->heap, room, sizeof(struct entry *));
    if (heap == NULL) {
        return -ENOMEM;
    }
    t->heap = heap;
    t->room = room;
    return 0;
}

static int add(timers *t, awaiter *sleeper)
{
    struct entry *e;

    if (reserve_one(t) != 0) {
        return -ENOMEM;
    }
    e = malloc(sizeof *e);
    if (e == NULL) {
        return -ENOMEM;
    }
    *e = (struct entry){sleeper->deadline, t->order++, sleeper};
    sleeper->buffer = e;
    t->heap[t->used++] = e;
    move_up(t->heap, t->used - 1);
    t->sleeping++;
    return 0;
}

static void mark(timers *t, struct entry *e)
{
    e->sleeper = NULL;
    t->sleeping--;
    if (t->used > FIRST_ROOM && t->sleeping < t->used / 2) {
        sweep(t);
    }
    drop_marked_at_root(t);
}

/* ---- The awaiter: a->buffer is the entry --------------------------------- */

static bool sleep_ready(awaiter *a)
{
    if (a->executor == NULL) {
        a->source = NULL;
        a->result = -EINVAL;
    }
    return a->executor == NULL;
}

static bool sleep_suspend(awaiter *a, co_handle waiter)
{
    timers *t = a->source;
    int error;

    (void)waiter;
    if (a->deadline <= t->clock->now(t->clock)) {
        co_wake(a, 0);
        return true;
    }
    error = add(t, a);
    if (error != 0) {
        a->source = NULL;
        a->result = error;
    }
    return error == 0;
}

static intptr_t sleep_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void sleep_cancel(awaiter *a)
{
    timers *t = a->source;

    if (t != NULL) {
        mark(t, a->buffer);
        a->source = NULL;
        a->result = -ECANCELED;
    }
}

static void sleep_describe(const awaiter *a, char *text, size_t size)
{
    (void)snprintf(text, size, "sleep(to %.6f s)", (double)a->deadline / 1e9);
}

awaiter sleep_until(timers *t, int64_t deadline)
{
    static const awaiter_type type = {"sleep",      sleep_ready,  sleep_suspend,
                                      sleep_resume, sleep_cancel, sleep_describe};

    return (awaiter){.type = &type, .source = t, .deadline = deadline};
}

awaiter sleep_for(timers *t, int64_t duration)
{
    int64_t now = t->clock->now(t->clock);
    int64_t left = INT64_MAX - (now > 0 ? now : 0);

    if (duration < 0) {
        duration = 0;
    }
    return sleep_until(t, duration > left ? INT64_MAX : now + duration);
}

/* ---- Waking -------------------------------------------------------------- */

static void wake_root(timers *t, intptr_t result)
{
    awaiter *sleeper = t->heap[0]->sleeper;

    mark(t, t->heap[0]);
    co_wake(sleeper, result);
}

size_t timers_expire(timers *t)
{
    int64_t now = t->clock->now(t->clock);
    size_t woken = 0;

    for (; t->used > 0 && t->heap[0]->deadline <= now; woken++) {
        wake_root(t, 0);
    }
    return woken;
}

static bool timers_pending(driver *self)
{
    return ((const timers *)self)->sleeping > 0;
}

static int timers_poll(driver *self, bool may_block)
{
    timers *t = (timers *)self;
    int64_t next = timers_next_deadline(t);

    if (may_block && t->sleeping > 0 && next > t->clock->now(t->clock)) {
        t->clock->sleep_until(t->clock, next);
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
    return t->used > 0 ? t->heap[0]->deadline : INT64_MAX;
}

size_t timers_count(const timers *t)
{
    return t->sleeping;
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
    while (t->used > 0) {
        wake_root(t, -ECANCELED);
    }
    free(t->heap);
    free(t);
}
