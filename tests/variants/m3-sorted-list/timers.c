/* timers.c - a variant of milestone 3: a sorted list through the awaiters, which allocates nothing.
 *
 * Going to sleep is O(n) in those that wake later, waking and removing are O(1). A deadline is compared
 * with the clock when the coroutine awaits it, not when the awaiter is made.
 */
#include "timers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct timers {
    lab_clock *clock;
    driver driver;
    awaiter *first, *last; /* by deadline, linked by `next` and, backwards, by `buffer` */
    size_t count;
};

static int64_t now(const timers *t)
{
    return t->clock->now(t->clock);
}

/* ---- The list ------------------------------------------------------------ */

static awaiter *before(const awaiter *a)
{
    return (awaiter *)a->buffer;
}

/* Behind those with the same deadline, so from the end: most sleeps end later than all others. */
static void insert(timers *t, awaiter *a)
{
    awaiter *left = t->last;

    while (left != NULL && left->deadline > a->deadline) {
        left = before(left);
    }
    a->buffer = left;
    a->next = left != NULL ? left->next : t->first;
    if (a->next != NULL) {
        a->next->buffer = a;
    } else {
        t->last = a;
    }
    if (left != NULL) {
        left->next = a;
    } else {
        t->first = a;
    }
    t->count++;
}

static void take_out(timers *t, const awaiter *a)
{
    if (before(a) != NULL) {
        before(a)->next = a->next;
    } else {
        t->first = a->next;
    }
    if (a->next != NULL) {
        a->next->buffer = a->buffer;
    } else {
        t->last = before(a);
    }
    t->count--;
}

static void wake_first(timers *t, intptr_t result)
{
    awaiter *a = t->first;

    take_out(t, a);
    co_wake(a, result);
}

/* ---- The awaiter --------------------------------------------------------- */

static bool is_refused(awaiter *a)
{
    if (a->executor == NULL) {
        a->source = NULL;
        a->result = -EINVAL;
        return true;
    }
    return false;
}

static bool go_to_sleep(awaiter *a, co_handle waiter)
{
    timers *t = a->source;

    (void)waiter;
    if (a->deadline <= now(t)) {
        co_wake(a, 0);
    } else {
        insert(t, a);
    }
    return true;
}

static intptr_t wake_up(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void cancel(awaiter *a)
{
    if (a->source != NULL) {
        take_out(a->source, a);
        a->source = NULL;
        a->result = -ECANCELED;
    }
}

static void describe(const awaiter *a, char *text, size_t size)
{
    (void)snprintf(text, size, "sleep until %" PRId64 " ns", a->deadline);
}

awaiter sleep_until(timers *t, int64_t deadline)
{
    static const awaiter_type type = {"sleep", is_refused, go_to_sleep, wake_up, cancel, describe};

    return (awaiter){.type = &type, .source = t, .deadline = deadline};
}

awaiter sleep_for(timers *t, int64_t duration)
{
    int64_t start = now(t);

    if (duration <= 0) {
        return sleep_until(t, start);
    }
    return sleep_until(t, duration > INT64_MAX - start ? INT64_MAX : start + duration);
}

/* ---- Waking -------------------------------------------------------------- */

size_t timers_expire(timers *t)
{
    int64_t moment = now(t);
    size_t count = 0;

    while (t->first != NULL && t->first->deadline <= moment) {
        wake_first(t, 0);
        count++;
    }
    return count;
}

static timers *timers_of(driver *d)
{
    return (timers *)(void *)((char *)d - offsetof(timers, driver));
}

static bool pending(driver *self)
{
    return timers_of(self)->first != NULL;
}

static int poll(driver *self, bool may_block)
{
    timers *t = timers_of(self);

    while (may_block && t->first != NULL && t->first->deadline > now(t)) {
        t->clock->sleep_until(t->clock, t->first->deadline);
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
    return t->first == NULL ? INT64_MAX : t->first->deadline;
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
    timers *t = malloc(sizeof *t);

    if (t == NULL) {
        return NULL;
    }
    *t = (timers){.clock = clock, .driver = {pending, poll}};
    return t;
}

void timers_destroy(timers *t)
{
    while (t != NULL && t->first != NULL) {
        wake_first(t, -ECANCELED);
    }
    free(t);
}
