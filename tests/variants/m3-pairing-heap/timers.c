/* timers.c - a variant of milestone 3: a pairing heap, with a node from malloc for each sleep.
 *
 * Each node is not later than its children. To go to sleep is one comparison; the work is done when a
 * node leaves and its children are put together again, in pairs, which is O(log n) on average.
 */
#include "timers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct node {
    int64_t deadline;
    uint64_t number; /* of the sleep: who came first wakes first */
    awaiter *sleeper;
    struct node *child;    /* the first of its children */
    struct node *sibling;  /* the next child of the same parent */
    struct node *previous; /* the sibling before it; of a first child, the parent */
};

struct timers {
    driver driver; /* first */
    lab_clock *clock;
    struct node *root;
    size_t count;
    uint64_t sleeps; /* since the beginning */
};

/* ---- The heap ------------------------------------------------------------ */

static bool comes_before(const struct node *a, const struct node *b)
{
    if (a->deadline != b->deadline) {
        return a->deadline < b->deadline;
    }
    return a->number < b->number;
}

/* Puts two heaps together; either may be empty. Neither root has siblings. */
static struct node *meld(struct node *a, struct node *b)
{
    struct node *top = a, *below = b;

    if (a == NULL || b == NULL) {
        return a != NULL ? a : b;
    }
    if (comes_before(b, a)) {
        top = b;
        below = a;
    }
    below->sibling = top->child;
    below->previous = top;
    if (top->child != NULL) {
        top->child->previous = below;
    }
    top->child = below;
    return top;
}

/* Takes the first off a list of siblings; NULL when it is empty. */
static struct node *detach_first(struct node **list)
{
    struct node *n = *list;

    if (n != NULL) {
        *list = n->sibling;
        n->sibling = NULL;
        n->previous = NULL;
    }
    return n;
}

/* Makes one heap of a list of siblings: first in pairs, then all of them, in two loops. */
static struct node *meld_siblings(struct node *list)
{
    struct node *pairs = NULL, *heap = NULL, *a;

    while ((a = detach_first(&list)) != NULL) {
        struct node *pair = meld(a, detach_first(&list));

        pair->sibling = pairs;
        pairs = pair;
    }
    while ((a = detach_first(&pairs)) != NULL) {
        heap = meld(heap, a);
    }
    return heap;
}

static void cut(struct node *n)
{
    if (n->previous->child == n) {
        n->previous->child = n->sibling;
    } else {
        n->previous->sibling = n->sibling;
    }
    if (n->sibling != NULL) {
        n->sibling->previous = n->previous;
    }
}

/* Takes a node out of the heap, wherever it is, and frees it. */
static void remove_node(timers *t, struct node *n)
{
    struct node *children = meld_siblings(n->child);

    if (n == t->root) {
        t->root = children;
    } else {
        cut(n);
        t->root = meld(t->root, children);
    }
    t->count--;
    free(n);
}

static struct node *add_node(timers *t, awaiter *sleeper)
{
    struct node *n = malloc(sizeof *n);

    if (n == NULL) {
        return NULL;
    }
    *n = (struct node){
        .deadline = sleeper->deadline,
        .number = t->sleeps++,
        .sleeper = sleeper,
    };
    t->root = meld(t->root, n);
    t->count++;
    return n;
}

/* ---- The awaiter: a->buffer is the node ---------------------------------- */

static bool sleep_ready(awaiter *a)
{
    a->result = a->executor == NULL ? -EINVAL : 0;
    return a->result != 0;
}

static bool sleep_suspend(awaiter *a, co_handle waiter)
{
    timers *t = a->buffer;

    if (a->deadline <= t->clock->now(t->clock)) {
        a->executor->schedule(a->executor, waiter);
        return true;
    }
    a->buffer = add_node(t, a);
    if (a->buffer == NULL) {
        a->result = -ENOMEM;
        return false;
    }
    a->source = t;
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
        remove_node(a->source, a->buffer);
        a->source = NULL;
        a->result = -ECANCELED;
    }
}

static void sleep_describe(const awaiter *a, char *text, size_t size)
{
    (void)snprintf(text, size, "sleep(%" PRId64 " ns)", a->deadline);
}

static const awaiter_type sleep_type = {
    .name = "sleep",
    .await_ready = sleep_ready,
    .await_suspend = sleep_suspend,
    .await_resume = sleep_resume,
    .await_cancel = sleep_cancel,
    .await_describe = sleep_describe,
};

awaiter sleep_until(timers *t, int64_t deadline)
{
    return (awaiter){.type = &sleep_type, .buffer = t, .deadline = deadline};
}

awaiter sleep_for(timers *t, int64_t duration)
{
    int64_t deadline = INT64_MIN; /* has passed, whatever the clock says */

    if (duration > 0 && __builtin_add_overflow(t->clock->now(t->clock), duration, &deadline)) {
        deadline = INT64_MAX;
    }
    return sleep_until(t, deadline);
}

/* ---- Waking -------------------------------------------------------------- */

static void wake_first(timers *t, intptr_t result)
{
    awaiter *a = t->root->sleeper;

    remove_node(t, t->root);
    co_wake(a, result);
}

size_t timers_expire(timers *t)
{
    int64_t now = t->clock->now(t->clock);
    size_t before = t->count;

    while (t->root != NULL && t->root->deadline <= now) {
        wake_first(t, 0);
    }
    return before - t->count;
}

static bool timers_pending(driver *self)
{
    return ((timers *)self)->root != NULL;
}

static int timers_poll(driver *self, bool may_block)
{
    timers *t = (timers *)self;

    if (may_block && t->root != NULL) {
        t->clock->sleep_until(t->clock, t->root->deadline);
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
    return t->root != NULL ? t->root->deadline : INT64_MAX;
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
        t->driver.pending = timers_pending;
        t->driver.poll = timers_poll;
        t->clock = clock;
    }
    return t;
}

void timers_destroy(timers *t)
{
    if (t == NULL) {
        return;
    }
    while (t->root != NULL) {
        wake_first(t, -ECANCELED);
    }
    free(t);
}
