/* scheduler.c - milestone 2, reference: the ready queue, and the loop that runs it. */
#include "scheduler.h"

#include <errno.h>

/* A round resumes no more than this before timers and I/O get their turn. */
enum { ROUND_LIMIT = 64, FIRST_CAPACITY = 16 };

/* A ring. Its capacity, a power of two, is never below the number of tasks that have entered: each
 * needs one place at most, for a task that awaits a child lends it its own. So a push cannot fail.
 * It does not shrink. */
struct ready_queue {
    co_handle *slots;
    size_t capacity;
    size_t head; /* index of the oldest; counts on for ever, taken modulo the capacity */
    size_t count;
};

struct scheduler {
    executor executor; /* first: an executor * is a scheduler * */
    scheduler_policy policy;
    bool running;
    driver *driver; /* NULL: none */
    struct ready_queue ready;
    task *first, *last; /* the tasks that have entered and not ended, in that order */
    size_t entered;     /* how many */
};

static _Noreturn void stop_with(const char *sentence, const task *t)
{
    (void)fprintf(stderr, "scheduler: '%s' %s\n", t->name, sentence);
    abort();
}

/* ---- The ready queue ----------------------------------------------------- */

static co_handle *queue_slot(const struct ready_queue *q, size_t position)
{
    return &q->slots[(q->head + position) & (q->capacity - 1)];
}

static int queue_reserve(struct ready_queue *q, size_t needed)
{
    size_t capacity = q->capacity != 0 ? q->capacity : FIRST_CAPACITY;
    co_handle *slots;

    if (needed <= q->capacity) {
        return 0;
    }
    while (capacity < needed) {
        capacity *= 2;
    }
    slots = calloc(capacity, sizeof *slots);
    if (slots == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < q->count; i++) {
        slots[i] = *queue_slot(q, i);
    }
    free(q->slots);
    q->slots = slots;
    q->capacity = capacity;
    q->head = 0;
    return 0;
}

static void queue_push(struct ready_queue *q, co_handle handle)
{
    *queue_slot(q, q->count++) = handle;
}

static co_handle queue_pop(struct ready_queue *q, scheduler_policy policy)
{
    bool newest = policy == SCHEDULER_LIFO;
    co_handle handle = *queue_slot(q, newest ? q->count - 1 : 0);

    q->head += newest ? 0 : 1;
    q->count--;
    return handle;
}

/* Looks for it from the front, so O(n): only a ready coroutine that is destroyed pays. */
static void queue_remove(struct ready_queue *q, co_handle handle)
{
    size_t i = 0;

    while (i < q->count && *queue_slot(q, i) != handle) {
        i++;
    }
    if (i == q->count) {
        return;
    }
    for (q->count--; i < q->count; i++) {
        *queue_slot(q, i) = *queue_slot(q, i + 1);
    }
}

/* ---- Entering and leaving ------------------------------------------------ */

static bool has_entered(const scheduler *s, const task *t)
{
    return t->previous != NULL || s->first == t;
}

/* The child that `t` awaits, if it runs here in the place of `t`, and not in one of its own. */
static task *child_in_place(const scheduler *s, const task *t)
{
    task *child = task_awaiting(t);
    bool in_place = child != NULL && child->at.executor == &s->executor && !has_entered(s, child);

    return in_place ? child : NULL;
}

static int enter(scheduler *s, task *t)
{
    if (queue_reserve(&s->ready, s->entered + 1) != 0) {
        return -ENOMEM;
    }
    t->at.executor = &s->executor;
    t->previous = s->last;
    *(s->last != NULL ? &s->last->next : &s->first) = t;
    s->last = t;
    s->entered++;
    return 0;
}

static void leave(scheduler *s, task *t)
{
    *(t->previous != NULL ? &t->previous->next : &s->first) = t->next;
    *(t->next != NULL ? &t->next->previous : &s->last) = t->previous;
    t->previous = t->next = NULL;
    s->entered--;
}

/* ---- The executor: what wakers call -------------------------------------- */

static void make_ready(executor *self, co_handle handle)
{
    scheduler *s = (scheduler *)self;
    task *t = (task *)handle;

    if (t->queued) {
        stop_with("was woken twice: it is in the ready queue already", t);
    }
    t->queued = true;
    queue_push(&s->ready, handle);
}

static void forget(executor *self, co_handle handle)
{
    scheduler *s = (scheduler *)self;
    task *t = (task *)handle;

    if (t->queued) {
        queue_remove(&s->ready, handle);
        t->queued = false;
    }
    if (has_entered(s, t)) {
        leave(s, t);
    }
}

executor *scheduler_executor(scheduler *s)
{
    return &s->executor;
}

/* ---- Creating and destroying --------------------------------------------- */

scheduler *scheduler_create(scheduler_policy policy)
{
    scheduler *s;

    if (policy != SCHEDULER_FIFO && policy != SCHEDULER_LIFO) {
        errno = EINVAL;
        return NULL;
    }
    s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->executor = (executor){.schedule = make_ready, .unschedule = forget};
        s->policy = policy;
    }
    return s;
}

/* `t` outlives its scheduler: neither it nor a child in its place may call it any more. */
static void disown(scheduler *s, task *t)
{
    leave(s, t);
    for (task *link = t; link != NULL; link = child_in_place(s, link)) {
        link->at.executor = NULL;
        link->at.awaiting.executor = NULL;
        link->queued = false;
    }
}

int scheduler_destroy(scheduler *s)
{
    if (s == NULL) {
        return 0;
    }
    if (s->running) {
        return -EBUSY;
    }
    s->ready.count = 0; /* nothing is resumed any more, and nobody needs to be searched for */
    while (s->first != NULL) {
        if (s->first->owned) {
            (void)task_destroy(s->first); /* leaves, by way of forget() */
        } else {
            disown(s, s->first);
        }
    }
    free(s->ready.slots);
    free(s);
    return 0;
}

/* ---- Making coroutines ready --------------------------------------------- */

int scheduler_schedule(scheduler *s, co_handle handle)
{
    task *t = (task *)handle;

    if (t == NULL || task_done(t)) {
        return -EINVAL;
    }
    if (t->queued && t->at.executor == &s->executor) {
        return -EALREADY;
    }
    if (t->at.running || t->at.awaiting.source != NULL) {
        return -EBUSY;
    }
    if (t->at.executor == NULL && enter(s, t) != 0) {
        return -ENOMEM;
    }
    if (t->at.executor != &s->executor) {
        return -EBUSY;
    }
    make_ready(&s->executor, handle);
    return 0;
}

int scheduler_start(scheduler *s, task *t)
{
    return t == NULL ? -ENOMEM : scheduler_schedule(s, &t->frame);
}

int scheduler_spawn(scheduler *s, task *t)
{
    bool is_awaited = t != NULL && t->continuation != NULL;
    int result = is_awaited ? -EBUSY : scheduler_start(s, t);

    if (result == 0) {
        t->owned = true;
    } else if (result == -ENOMEM) {
        (void)task_destroy(t);
    }
    return result;
}

/* ---- Yielding ------------------------------------------------------------ */

static bool yield_ready(awaiter *a)
{
    bool elsewhere = a->executor != a->buffer || a->executor == NULL;

    a->result = elsewhere ? -EINVAL : 0;
    return elsewhere;
}

static bool yield_suspend(awaiter *a, co_handle waiter)
{
    a->executor->schedule(a->executor, waiter);
    return true;
}

static intptr_t yield_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static const awaiter_type yield_type = {"yield",      yield_ready, yield_suspend,
                                        yield_resume, NULL,        NULL};

awaiter scheduler_yield(scheduler *s)
{
    return (awaiter){.type = &yield_type, .buffer = &s->executor};
}

/* ---- Running ------------------------------------------------------------- */

static void resume(scheduler *s, co_handle handle)
{
    task *t = (task *)handle;

    t->queued = false;
    handle->resume(handle);
    if (task_done(t) && has_entered(s, t)) {
        leave(s, t);
        if (t->owned) {
            (void)task_destroy(t); /* at once: finished tasks do not pile up */
        }
    }
}

/* What is ready now, and nothing that becomes ready on the way. */
static void run_round(scheduler *s)
{
    size_t turns = s->ready.count < ROUND_LIMIT ? s->ready.count : ROUND_LIMIT;

    for (; turns > 0 && s->ready.count > 0; turns--) {
        resume(s, queue_pop(&s->ready, s->policy));
    }
}

static bool driver_pending(const scheduler *s)
{
    return s->driver != NULL && s->driver->pending(s->driver);
}

/* Rounds until nothing is left, or `until` (NULL: nobody) has ended. 0, or what the driver said. */
static int run_rounds(scheduler *s, const task *until)
{
    for (;;) {
        bool idle;

        run_round(s);
        idle = s->ready.count == 0;
        if ((until != NULL && task_done(until)) || (idle && !driver_pending(s))) {
            return 0;
        }
        if (s->driver != NULL) {
            int result = s->driver->poll(s->driver, idle);

            if (result < 0) {
                return result;
            }
        }
    }
}

static int run(scheduler *s, const task *until)
{
    int result;

    if (s->running) {
        return -EBUSY;
    }
    s->running = true;
    result = run_rounds(s, until);
    s->running = false;
    return result;
}

int scheduler_run(scheduler *s)
{
    int result = run(s, NULL);

    return result != 0 ? result : (int)scheduler_report(s, NULL);
}

static int prepare_block_on(scheduler *s, task *t)
{
    if (s->running || (t != NULL && (t->owned || t->continuation != NULL))) {
        return -EBUSY;
    }
    if (t != NULL && (task_done(t) || t->at.executor == &s->executor)) {
        return 0; /* started before, or even at its end */
    }
    return scheduler_start(s, t);
}

int scheduler_block_on(scheduler *s, task *t, intptr_t *value)
{
    int result = prepare_block_on(s, t);

    if (result == 0) {
        result = run(s, t);
    }
    if (result != 0) {
        return result;
    }
    if (!task_done(t)) {
        return -EDEADLK;
    }
    result = task_get(t, value);
    (void)task_destroy(t);
    return result;
}

bool scheduler_has_work(const scheduler *s)
{
    return s->ready.count > 0 || driver_pending(s);
}

void scheduler_set_driver(scheduler *s, driver *d)
{
    s->driver = d;
}

/* ---- The report ---------------------------------------------------------- */

static void describe(const task *t, FILE *out)
{
    const awaiter *a = &t->at.awaiting;
    char text[64];

    if (t->at.line == 0) {
        (void)fprintf(out, "  '%s' has not begun\n", t->name);
        return;
    }
    if (a->type != NULL && a->type->await_describe != NULL && !t->queued) {
        a->type->await_describe(a, text, sizeof text);
    } else {
        (void)snprintf(text, sizeof text, "%s", a->type != NULL ? a->type->name : "nothing");
    }
    (void)fprintf(out, "  '%s' is suspended at %s:%d in %s%s\n", t->name, t->at.file, t->at.line,
                  text, t->queued ? ", and ready" : "");
}

size_t scheduler_report(const scheduler *s, FILE *out)
{
    size_t count = 0;

    for (const task *t = s->first; t != NULL; t = t->next) {
        const task *link = t;

        do { /* the task, and the children below it that are in its place here */
            count++;
            if (out != NULL) {
                describe(link, out);
            }
            link = child_in_place(s, link);
        } while (link != NULL);
    }
    return count;
}
