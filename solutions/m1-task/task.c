/* task.c - milestone 1, reference: the promise, the owner's side, and awaiting a task. */
#include "task.h"

#include <errno.h>
#include <stdatomic.h>

/* ---- The promise --------------------------------------------------------- */

static void free_frame(co_handle frame)
{
    free(frame);
}

/* The frame's own second word, for those who hold a handle and know nothing of tasks. */
static void destroy_frame(co_handle frame)
{
    (void)task_destroy((task *)frame);
}

task *task_init(task *t, const char *name, void (*body)(co_handle), void (*release)(co_handle))
{
    *t = (task){
        .frame = {.resume = body, .destroy = destroy_frame},
        .name = name,
        .release = release != NULL ? release : free_frame,
    };
    return t;
}

/* The final suspend point: from here on the owner may read the result, and whoever awaits it may
 * run, so this is the last that a body does. The continuation stays, for until it has taken the
 * result the task is its own. */
static void suspend_finally(task *t)
{
    t->frame.resume = NULL;
    if (t->continuation != NULL) {
        co_wake(t->continuation, 0);
    }
}

void task_return_value(task *t, intptr_t value)
{
    t->value = value;
    suspend_finally(t);
}

void task_unhandled_error(task *t, co_error error)
{
    if (error.code == 0) {
        error.code = -EINVAL;
    }
    t->error = error;
    t->failed = true;
    suspend_finally(t);
}

/* ---- The owner's side ---------------------------------------------------- */

int task_resume(task *t)
{
    if (t == NULL || task_done(t)) {
        return -EINVAL;
    }
    if (t->at.running || t->at.executor != NULL || t->at.awaiting.source != NULL) {
        return -EBUSY;
    }
    t->frame.resume(&t->frame);
    return 0;
}

bool task_done(const task *t)
{
    return t->frame.resume == NULL;
}

int task_get(task *t, intptr_t *value)
{
    const co_error *error;

    if (t == NULL) {
        return -EINVAL;
    }
    if (!task_done(t)) {
        return -EAGAIN;
    }
    error = task_error(t);
    if (error != NULL) {
        return error->code;
    }
    if (value != NULL) {
        *value = t->value;
    }
    return 0;
}

const co_error *task_error(task *t)
{
    if (t == NULL || !task_done(t) || !t->failed) {
        return NULL;
    }
    t->error_taken = true;
    return &t->error;
}

task *task_take(task **slot)
{
    task *t = *slot;

    *slot = NULL;
    return t;
}

/* ---- No error is lost ---------------------------------------------------- */

static void print_lost_error(const task *t, const co_error *error, void *context)
{
    (void)context;
    (void)fprintf(stderr, "task '%s' failed, and nobody took its error: %s (%d) at %s:%d\n",
                  t->name, error->what, error->code, error->file, error->line);
}

static task_error_handler *error_handler = print_lost_error;
static void *error_context;
static atomic_ulong lost_errors; /* atomic: tasks may run on several threads */

void task_set_error_handler(task_error_handler *handler, void *context)
{
    error_handler = handler != NULL ? handler : print_lost_error;
    error_context = context;
}

unsigned long task_lost_errors(void)
{
    return atomic_load_explicit(&lost_errors, memory_order_relaxed);
}

static void report_lost_error(const task *t)
{
    if (task_done(t) && t->failed && !t->error_taken) {
        atomic_fetch_add_explicit(&lost_errors, 1, memory_order_relaxed);
        error_handler(t, &t->error, error_context);
    }
}

/* ---- Destroying ---------------------------------------------------------- */

static const awaiter_type task_await_type;

/* The child that `t` owns because it awaits it: until its result was taken. */
static task *consumed_child(const task *t)
{
    const awaiter *a = &t->at.awaiting;

    return a->type == &task_await_type ? a->buffer : NULL;
}

/* Nobody keeps a pointer to `t` after this: not what it waits for, and not its executor. */
static void withdraw(task *t)
{
    awaiter *a = &t->at.awaiting;

    if (task_done(t)) {
        return;
    }
    if (a->type != NULL && a->type->await_cancel != NULL) {
        a->type->await_cancel(a);
    }
    if (t->at.executor != NULL) {
        t->at.executor->unschedule(t->at.executor, &t->frame);
    }
}

int task_destroy(task *t)
{
    if (t == NULL) {
        return 0;
    }
    if (t->continuation != NULL) {
        return -EBUSY;
    }
    for (const task *link = t; link != NULL; link = consumed_child(link)) {
        if (link->at.running) {
            return -EBUSY;
        }
    }
    while (t != NULL) { /* a loop, for a chain of awaits may be longer than the stack */
        task *child = consumed_child(t);

        withdraw(t);
        report_lost_error(t);
        t->release(&t->frame);
        t = child;
    }
    return 0;
}

/* ---- Awaiting a task: a->buffer is the child, a->result why it was refused ---- */

/* The waiter is below the child if and only if the child is above the waiter. Both walks go on
 * together, so the shorter one decides: a child that has not begun has nobody below, a task that
 * nobody awaits nobody above. */
static bool would_wait_for_itself(const task *child, co_handle waiter)
{
    const task *below = child, *above = (const task *)waiter;

    while (below != NULL && above != NULL) {
        if (&below->frame == waiter || above == child) {
            return true;
        }
        below = task_awaiting(below);
        above = above->continuation != NULL ? (const task *)above->continuation->waiter : NULL;
    }
    return false;
}

/* Begun by hand, and not to be made ready now: it is on the stack, or whoever ends its wait would
 * have no executor to hand it to. */
static bool is_busy_by_hand(const task *t)
{
    return t->at.executor == NULL && !task_done(t) &&
           (t->at.running || t->at.awaiting.source != NULL);
}

static int refuse_await(const awaiter *a)
{
    const task *child = a->buffer;

    if (child == NULL) {
        return -ENOMEM;
    }
    if (would_wait_for_itself(child, a->waiter)) {
        return -EDEADLK;
    }
    if (child->continuation != NULL || child->owned || is_busy_by_hand(child)) {
        return -EBUSY;
    }
    if (!task_done(child) && a->executor == NULL) {
        return -EINVAL;
    }
    return 0;
}

static const char *refusal_text(intptr_t code)
{
    switch (code) {
    case -ENOMEM:
        return "the awaited task could not be created: out of memory";
    case -EDEADLK:
        return "the awaited task is the awaiting one, or waits for it";
    case -EBUSY:
        return "the awaited task belongs to somebody else, or waits without an executor";
    default:
        return "the awaiting task has no executor";
    }
}

static bool await_ready(awaiter *a)
{
    a->result = refuse_await(a);
    return a->result != 0 || task_done(a->buffer);
}

static bool await_suspend(awaiter *a, co_handle waiter)
{
    task *child = a->buffer;

    (void)waiter;
    a->source = child;
    child->continuation = a;
    if (child->at.executor == NULL) { /* nobody runs it yet: it takes our place in our executor */
        child->at.executor = a->executor;
        a->executor->schedule(a->executor, &child->frame);
    }
    return true;
}

static intptr_t await_resume(awaiter *a, co_error *thrown)
{
    task *child = a->buffer;
    const co_suspend_point *here = &((const task *)a->waiter)->at;
    intptr_t value = 0;

    if (a->result != 0) {
        *thrown = co_error_at((int)a->result, refusal_text(a->result), here->file, here->line);
        return 0;
    }
    if (!task_done(child)) {
        *thrown =
            co_error_at(-ECANCELED, "resumed by hand while it waited", here->file, here->line);
    } else if (child->failed) {
        *thrown = *task_error(child);
    } else {
        value = child->value;
    }
    child->continuation = NULL;
    (void)task_destroy(child);
    return value;
}

/* The parent goes, and the child with it, as task_destroy sees to. */
static void await_cancel(awaiter *a)
{
    ((task *)a->buffer)->continuation = NULL;
    a->source = NULL;
}

static void await_describe(const awaiter *a, char *text, size_t size)
{
    (void)snprintf(text, size, "task '%s'", ((const task *)a->buffer)->name);
}

static const awaiter_type task_await_type = {"task",       await_ready,  await_suspend,
                                             await_resume, await_cancel, await_describe};

awaiter task_await(task *child)
{
    return (awaiter){.type = &task_await_type, .buffer = child};
}

task *task_awaiting(const task *t)
{
    return t->at.awaiting.source != NULL ? consumed_child(t) : NULL;
}
