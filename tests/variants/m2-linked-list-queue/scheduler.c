/* scheduler.c - a variant of milestone 2: nothing but lists, so that only scheduler_create allocates.
 *
 * The ready queue is linked through the awaiters of the ready tasks (co.h: `next` is the executor's
 * while the waiter is ready), so a wake-up needs no room. To take one out of the middle, the list is
 * searched. The tasks that have entered form a ring.
 */
#include "scheduler.h"

#include <errno.h>

enum { TURNS_PER_ROUND = 64 };

struct scheduler {
    executor executor; /* first: an executor * is a scheduler * */
    scheduler_policy policy;
    driver *driver;
    bool running;
    awaiter *front, *back; /* the ready queue; front is next */
    size_t ready;          /* how many are in it */
    task ring;             /* not a task: where the ring of those that have entered is held */
};

static task *task_of(const awaiter *a)
{
    return (task *)a->waiter;
}

/* ---- The ready queue ----------------------------------------------------- */

static void push_front(scheduler *s, awaiter *a)
{
    a->next = s->front;
    s->front = a;
    if (s->back == NULL) {
        s->back = a;
    }
}

static void push_back(scheduler *s, awaiter *a)
{
    a->next = NULL;
    if (s->back == NULL) {
        s->front = a;
    } else {
        s->back->next = a;
    }
    s->back = a;
}

static task *pop(scheduler *s)
{
    awaiter *a = s->front;

    s->front = a->next;
    if (s->front == NULL) {
        s->back = NULL;
    }
    s->ready--;
    task_of(a)->queued = false;
    return task_of(a);
}

static void take_out(scheduler *s, task *t)
{
    awaiter *before = NULL;

    for (awaiter *a = s->front; a != &t->at.awaiting; a = a->next) {
        before = a;
    }
    if (before == NULL) {
        (void)pop(s);
        return;
    }
    before->next = t->at.awaiting.next;
    if (before->next == NULL) {
        s->back = before;
    }
    s->ready--;
    t->queued = false;
}

/* ---- The ring of those that have entered --------------------------------- */

static bool has_entered(const task *t)
{
    return t->next != NULL;
}

static void enter(scheduler *s, task *t)
{
    t->at.executor = &s->executor;
    t->next = &s->ring;
    t->previous = s->ring.previous;
    t->previous->next = t;
    s->ring.previous = t;
}

static void leave(task *t)
{
    t->previous->next = t->next;
    t->next->previous = t->previous;
    t->next = NULL;
    t->previous = NULL;
}

/* The child that `t` awaits and that is not on its own here; NULL: none. */
static task *child_in_place_of(const task *t)
{
    task *child = task_awaiting(t);

    if (child == NULL || has_entered(child) || child->at.executor != t->at.executor) {
        return NULL;
    }
    return child;
}

/* ---- The executor -------------------------------------------------------- */

static void make_ready(executor *self, co_handle handle)
{
    scheduler *s = (scheduler *)self;
    task *t = (task *)handle;

    if (t->queued) {
        (void)fprintf(stderr, "scheduler: task '%s' was made ready twice\n", t->name);
        abort();
    }
    t->queued = true;
    t->at.awaiting.waiter = handle; /* not set yet, if it has not begun */
    if (s->policy == SCHEDULER_FIFO) {
        push_back(s, &t->at.awaiting);
    } else {
        push_front(s, &t->at.awaiting);
    }
    s->ready++;
}

static void forget(executor *self, co_handle handle)
{
    task *t = (task *)handle;

    if (t->queued) {
        take_out((scheduler *)self, t);
    }
    if (has_entered(t)) {
        leave(t);
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
    if (s == NULL) {
        return NULL;
    }
    s->executor.schedule = make_ready;
    s->executor.unschedule = forget;
    s->policy = policy;
    s->ring.next = &s->ring;
    s->ring.previous = &s->ring;
    return s;
}

/* Its owner keeps `t`; the scheduler that it could call will be gone. One that was destroyed before it
 * may have woken it. */
static void let_go(scheduler *s, task *t)
{
    leave(t);
    while (t != NULL) {
        task *child = child_in_place_of(t);

        if (t->queued) {
            take_out(s, t);
        }
        t->at.executor = NULL;
        t->at.awaiting.executor = NULL;
        t = child;
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
    while (s->ready > 0) {
        (void)pop(s);
    }
    while (s->ring.next != &s->ring) {
        task *t = s->ring.next;

        if (t->owned) {
            (void)task_destroy(t);
        } else {
            let_go(s, t);
        }
    }
    free(s);
    return 0;
}

/* ---- Making tasks ready -------------------------------------------------- */

int scheduler_schedule(scheduler *s, co_handle handle)
{
    task *t = (task *)handle;

    if (t == NULL || task_done(t)) {
        return -EINVAL;
    }
    if (t->at.executor != NULL && t->at.executor != &s->executor) {
        return -EBUSY;
    }
    if (t->queued) {
        return -EALREADY;
    }
    if (t->at.running || t->at.awaiting.source != NULL) {
        return -EBUSY;
    }
    if (t->at.executor == NULL) {
        enter(s, t);
    }
    make_ready(&s->executor, handle);
    return 0;
}

int scheduler_start(scheduler *s, task *t)
{
    if (t == NULL) {
        return -ENOMEM;
    }
    return scheduler_schedule(s, &t->frame);
}

int scheduler_spawn(scheduler *s, task *t)
{
    int error;

    if (t != NULL && t->continuation != NULL) {
        return -EBUSY; /* the awaiting task's */
    }
    error = scheduler_start(s, t);
    if (error == 0) {
        t->owned = true;
    }
    return error;
}

/* ---- Yield: a->buffer is the scheduler ------------------------------------ */

static bool cannot_yield(awaiter *a)
{
    const scheduler *s = a->buffer;

    if (a->executor == &s->executor) {
        return false;
    }
    a->result = -EINVAL;
    return true;
}

static bool queue_again(awaiter *a, co_handle waiter)
{
    make_ready(a->executor, waiter);
    return true;
}

static intptr_t yielded(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

awaiter scheduler_yield(scheduler *s)
{
    static const awaiter_type type = {
        .name = "yield",
        .await_ready = cannot_yield,
        .await_suspend = queue_again,
        .await_resume = yielded,
    };

    return (awaiter){.type = &type, .buffer = s};
}

/* ---- Running ------------------------------------------------------------- */

static void run_next(scheduler *s)
{
    task *t = pop(s);

    t->frame.resume(&t->frame);
    if (task_done(t) && has_entered(t)) {
        leave(t);
        if (t->owned) {
            (void)task_destroy(t);
        }
    }
}

static bool has_ended(const task *t)
{
    return t != NULL && task_done(t);
}

bool scheduler_has_work(const scheduler *s)
{
    return s->ready > 0 || (s->driver != NULL && s->driver->pending(s->driver));
}

/* Until `goal` (NULL: none) has ended, or nothing is left to do. */
static int run_until(scheduler *s, const task *goal)
{
    while (scheduler_has_work(s) && !has_ended(goal)) {
        size_t turns = s->ready < TURNS_PER_ROUND ? s->ready : TURNS_PER_ROUND;

        while (turns-- > 0 && s->ready > 0 && !has_ended(goal)) {
            run_next(s);
        }
        if (s->driver != NULL && scheduler_has_work(s) && !has_ended(goal)) {
            int result = s->driver->poll(s->driver, s->ready == 0);

            if (result < 0) {
                return result;
            }
        }
    }
    return 0;
}

static int run(scheduler *s, const task *goal)
{
    int result;

    s->running = true;
    result = run_until(s, goal);
    s->running = false;
    return result;
}

int scheduler_run(scheduler *s)
{
    int result = s->running ? -EBUSY : run(s, NULL);

    return result < 0 ? result : (int)scheduler_report(s, NULL);
}

int scheduler_block_on(scheduler *s, task *t, intptr_t *value)
{
    int error = 0;

    if (t == NULL) {
        return -ENOMEM;
    }
    if (s->running || t->owned || t->continuation != NULL) {
        return -EBUSY;
    }
    if (!task_done(t)) {
        error = scheduler_start(s, t);
        if (error != 0 && t->at.executor != &s->executor) {
            return error; /* else it is ready already, or waits here */
        }
        error = run(s, t);
    }
    if (error != 0) {
        return error;
    }
    if (!task_done(t)) {
        return -EDEADLK;
    }
    error = task_get(t, value);
    (void)task_destroy(t);
    return error;
}

void scheduler_set_driver(scheduler *s, driver *d)
{
    s->driver = d;
}

/* ---- The report ---------------------------------------------------------- */

static void report_one(const task *t, FILE *out)
{
    const awaiter *a = &t->at.awaiting;
    char what[80] = "nothing";

    if (t->at.line == 0) {
        (void)fprintf(out, "%s: has not begun\n", t->name);
        return;
    }
    if (a->type != NULL) {
        (void)snprintf(what, sizeof what, "%s", a->type->name);
        if (a->source != NULL && a->type->await_describe != NULL) {
            a->type->await_describe(a, what, sizeof what);
        }
    }
    (void)fprintf(out, "%s: suspended at %s:%d, waits for %s\n", t->name, t->at.file, t->at.line,
                  t->queued ? "its turn" : what);
}

size_t scheduler_report(const scheduler *s, FILE *out)
{
    size_t count = 0;

    for (const task *t = s->ring.next; t != &s->ring; t = t->next) {
        const task *link = t;

        do {
            count++;
            if (out != NULL) {
                report_one(link, out);
            }
            link = child_in_place_of(link);
        } while (link != NULL);
    }
    return count;
}
