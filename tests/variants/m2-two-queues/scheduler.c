/* scheduler.c - a variant of milestone 2: one queue for this round, one for the next.
 *
 * FIFO: what becomes ready goes to `next`; when `now` is used up the two change places. LIFO: `now` is
 * a stack, and `next` stays empty. Both have room for all tasks that have entered, so that a wake-up
 * cannot fail. The list of those tasks begins with the newest.
 */
#include "scheduler.h"

#include <errno.h>
#include <string.h>

#define ROUND 64

struct queue {
    task **tasks;
    size_t begin, end; /* the tasks in it are tasks[begin] ... tasks[end - 1] */
    size_t room;
};

struct scheduler {
    executor executor; /* first: an executor * is a scheduler * */
    scheduler_policy policy;
    bool running;
    struct queue now, next;
    task *newest; /* of those that have entered; linked by their `next` */
    size_t entered;
    driver *driver;
};

/* ---- Queues -------------------------------------------------------------- */

static size_t length(const struct queue *q)
{
    return q->end - q->begin;
}

static int make_room(struct queue *q, size_t needed)
{
    size_t room = q->room + q->room / 2 + 8;
    task **tasks;

    if (needed <= q->room) {
        return 0;
    }
    tasks = realloc(q->tasks, room * sizeof(task *));
    if (tasks == NULL) {
        return -ENOMEM;
    }
    q->tasks = tasks;
    q->room = room;
    return 0;
}

static void append(struct queue *q, task *t)
{
    if (q->begin == q->end) {
        q->begin = 0;
        q->end = 0;
    }
    q->tasks[q->end++] = t;
}

static bool remove_from(struct queue *q, const task *t)
{
    for (size_t i = q->begin; i < q->end; i++) {
        if (q->tasks[i] == t) {
            memmove(&q->tasks[i], &q->tasks[i + 1], (q->end - i - 1) * sizeof(task *));
            q->end--;
            return true;
        }
    }
    return false;
}

static size_t ready_count(const scheduler *s)
{
    return length(&s->now) + length(&s->next);
}

static task *take_next(scheduler *s)
{
    if (length(&s->now) == 0) {
        struct queue used_up = s->now;

        s->now = s->next;
        s->next = used_up;
        s->next.begin = 0;
        s->next.end = 0;
    }
    if (s->policy == SCHEDULER_LIFO) {
        return s->now.tasks[--s->now.end];
    }
    return s->now.tasks[s->now.begin++];
}

/* ---- The tasks that have entered ----------------------------------------- */

static bool is_entered(const scheduler *s, const task *t)
{
    return t->previous != NULL || s->newest == t;
}

static int enter(scheduler *s, task *t)
{
    if (make_room(&s->now, s->entered + 1) != 0 || make_room(&s->next, s->entered + 1) != 0) {
        return -ENOMEM;
    }
    t->at.executor = &s->executor;
    t->previous = NULL;
    t->next = s->newest;
    if (t->next != NULL) {
        t->next->previous = t;
    }
    s->newest = t;
    s->entered++;
    return 0;
}

static void leave(scheduler *s, task *t)
{
    if (t->previous != NULL) {
        t->previous->next = t->next;
    } else {
        s->newest = t->next;
    }
    if (t->next != NULL) {
        t->next->previous = t->previous;
    }
    t->previous = NULL;
    t->next = NULL;
    s->entered--;
}

/* ---- The executor -------------------------------------------------------- */

static void make_ready(executor *self, co_handle handle)
{
    scheduler *s = (scheduler *)self;
    task *t = (task *)handle;

    if (t->queued) {
        (void)fprintf(stderr, "scheduler: '%s' was woken, but it is ready already\n", t->name);
        abort();
    }
    t->queued = true;
    append(s->policy == SCHEDULER_LIFO ? &s->now : &s->next, t);
}

static void take_from_queue(scheduler *s, task *t)
{
    if (t->queued && !remove_from(&s->now, t)) {
        (void)remove_from(&s->next, t);
    }
    t->queued = false;
}

static void forget(executor *self, co_handle handle)
{
    scheduler *s = (scheduler *)self;
    task *t = (task *)handle;

    take_from_queue(s, t);
    if (is_entered(s, t)) {
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
    scheduler *s = NULL;

    if (policy == SCHEDULER_FIFO || policy == SCHEDULER_LIFO) {
        s = calloc(1, sizeof *s);
    } else {
        errno = EINVAL;
    }
    if (s != NULL) {
        s->executor = (executor){make_ready, forget};
        s->policy = policy;
    }
    return s;
}

static void empty(struct queue *q)
{
    while (q->begin < q->end) {
        q->tasks[q->begin++]->queued = false;
    }
}

/* `t` stays its owner's, and so do the children below it that have not entered: they lose `s`. */
static void release_to_owner(scheduler *s, task *t)
{
    leave(s, t);
    do {
        take_from_queue(s, t); /* one that was destroyed before it may have woken it */
        t->at.executor = NULL;
        t->at.awaiting.executor = NULL;
        t = task_awaiting(t);
    } while (t != NULL && t->at.executor == &s->executor && !is_entered(s, t));
}

int scheduler_destroy(scheduler *s)
{
    if (s == NULL) {
        return 0;
    }
    if (s->running) {
        return -EBUSY;
    }
    empty(&s->now);
    empty(&s->next);
    while (s->newest != NULL) {
        if (s->newest->owned) {
            (void)task_destroy(s->newest);
        } else {
            release_to_owner(s, s->newest);
        }
    }
    free(s->now.tasks);
    free(s->next.tasks);
    free(s);
    return 0;
}

/* ---- Making tasks ready -------------------------------------------------- */

int scheduler_schedule(scheduler *s, co_handle handle)
{
    task *t = (task *)handle;
    bool is_ours;

    if (t == NULL || task_done(t)) {
        return -EINVAL;
    }
    is_ours = t->at.executor == &s->executor;
    if (is_ours && t->queued) {
        return -EALREADY;
    }
    if (t->at.running || t->at.awaiting.source != NULL || (!is_ours && t->at.executor != NULL)) {
        return -EBUSY;
    }
    if (!is_ours && enter(s, t) != 0) {
        return -ENOMEM;
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
    int result = -EBUSY;

    if (t == NULL || t->continuation == NULL) {
        result = scheduler_start(s, t);
    }
    switch (result) {
    case 0:
        t->owned = true;
        break;
    case -ENOMEM:
        (void)task_destroy(t);
        break;
    default:
        break;
    }
    return result;
}

/* ---- Yielding ------------------------------------------------------------ */

static bool yield_ready(awaiter *a)
{
    bool is_elsewhere = a->executor == NULL || a->executor != a->buffer;

    a->result = is_elsewhere ? -EINVAL : 0;
    return is_elsewhere;
}

static bool yield_suspend(awaiter *a, co_handle waiter)
{
    make_ready(a->executor, waiter);
    return true;
}

static intptr_t yield_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

awaiter scheduler_yield(scheduler *s)
{
    static const awaiter_type type = {"yield",      yield_ready, yield_suspend,
                                      yield_resume, NULL,        NULL};

    return (awaiter){.type = &type, .buffer = &s->executor};
}

/* ---- Running ------------------------------------------------------------- */

static void resume(scheduler *s, task *t)
{
    t->queued = false;
    t->frame.resume(&t->frame);
    if (!task_done(t) || !is_entered(s, t)) {
        return;
    }
    leave(s, t);
    if (t->owned) {
        (void)task_destroy(t);
    }
}

static void run_round(scheduler *s)
{
    size_t left = ready_count(s) < ROUND ? ready_count(s) : ROUND;

    while (left-- > 0 && ready_count(s) > 0) {
        resume(s, take_next(s));
    }
}

static bool is_waited_for(driver *d)
{
    return d != NULL && d->pending(d);
}

bool scheduler_has_work(const scheduler *s)
{
    return ready_count(s) > 0 || is_waited_for(s->driver);
}

/* `t` NULL: until nothing is left to do. */
static int run_until_end_of(scheduler *s, const task *t)
{
    int result = 0;

    s->running = true;
    while (result >= 0) {
        run_round(s);
        if (!scheduler_has_work(s) || (t != NULL && task_done(t))) {
            result = 0;
            break;
        }
        if (s->driver != NULL) {
            result = s->driver->poll(s->driver, ready_count(s) == 0);
        }
    }
    s->running = false;
    return result;
}

int scheduler_run(scheduler *s)
{
    int result;

    if (s->running) {
        return -EBUSY;
    }
    result = run_until_end_of(s, NULL);
    return result < 0 ? result : (int)scheduler_report(s, NULL);
}

int scheduler_block_on(scheduler *s, task *t, intptr_t *value)
{
    bool is_ours = t != NULL && t->at.executor == &s->executor;
    int result;

    if (s->running || (t != NULL && (t->owned || t->continuation != NULL))) {
        return -EBUSY;
    }
    if (!is_ours && (t == NULL || !task_done(t))) {
        result = scheduler_start(s, t);
        if (result != 0) {
            return result;
        }
    }
    result = run_until_end_of(s, t);
    if (result < 0) {
        return result;
    }
    if (!task_done(t)) {
        return -EDEADLK;
    }
    result = task_get(t, value);
    (void)task_destroy(t);
    return result;
}

void scheduler_set_driver(scheduler *s, driver *d)
{
    s->driver = d;
}

/* ---- The report ---------------------------------------------------------- */

static void write_line(const task *t, FILE *out)
{
    const awaiter *a = &t->at.awaiting;
    char text[96] = "nothing";

    if (t->at.line == 0) {
        (void)fprintf(out, "'%s': not begun\n", t->name);
        return;
    }
    if (a->type != NULL && a->type->await_describe != NULL && a->source != NULL) {
        a->type->await_describe(a, text, sizeof text);
    } else if (a->type != NULL) {
        (void)snprintf(text, sizeof text, "%s", a->type->name);
    }
    (void)fprintf(out, "'%s': at %s:%d, %s %s\n", t->name, t->at.file, t->at.line,
                  t->queued ? "ready after" : "in", text);
}

static size_t report_family(const scheduler *s, const task *t, FILE *out)
{
    size_t count = 0;

    do {
        if (out != NULL) {
            write_line(t, out);
        }
        count++;
        t = task_awaiting(t);
    } while (t != NULL && t->at.executor == &s->executor && !is_entered(s, t));
    return count;
}

size_t scheduler_report(const scheduler *s, FILE *out)
{
    size_t count = 0;

    for (const task *t = s->newest; t != NULL; t = t->next) {
        count += report_family(s, t, out);
    }
    return count;
}
