/* task.c - a variant of milestone 1: all questions go through one state.
 *
 * What a task is doing is never stored: state_of derives it from the fields that the header gives, and
 * each function begins with a look at it. An await never says "ready": its await_suspend looks at the
 * child, and returns false when there is nothing to wait for.
 */
#include "task.h"

#include <errno.h>

enum state {
    CREATED,  /* suspended before its first line, */
    RUNNING,  /* on the stack right now, */
    PAUSED,   /* suspended, and nobody will wake it, */
    WAITING,  /* suspended, and somebody will, */
    RETURNED, /* at its final suspend point with a value, */
    FAILED    /* or with an error */
};

static enum state state_of(const task *t)
{
    if (t->frame.resume == NULL) {
        return t->failed ? FAILED : RETURNED;
    }
    if (t->at.running) {
        return RUNNING;
    }
    if (t->at.executor != NULL || t->at.awaiting.source != NULL) {
        return WAITING;
    }
    return t->at.line == 0 ? CREATED : PAUSED;
}

/* ---- Errors that nobody took --------------------------------------------- */

struct error_desk {
    task_error_handler *handler; /* NULL: write a line */
    void *context;
    unsigned long reported;
};

static struct error_desk desk;

void task_set_error_handler(task_error_handler *handler, void *context)
{
    desk.handler = handler;
    desk.context = context;
}

unsigned long task_lost_errors(void)
{
    return __atomic_load_n(&desk.reported, __ATOMIC_RELAXED);
}

static void report_error(const task *t)
{
    (void)__atomic_add_fetch(&desk.reported, 1, __ATOMIC_RELAXED);
    if (desk.handler != NULL) {
        desk.handler(t, &t->error, desk.context);
    } else {
        (void)fprintf(stderr, "%s:%d: error %d of task '%s' was lost: %s\n", t->error.file,
                      t->error.line, t->error.code, t->name, t->error.what);
    }
}

/* ---- Awaiting a task: the child is in a->buffer, always; in a->source, while the parent waits ---- */

static bool never_ready(awaiter *a)
{
    (void)a;
    return false;
}

/* The child that is in the hands of `t`, by a task_await whose result it has not taken yet. */
static task *child_of(const task *t);

static bool waits_for(const task *t, co_handle other)
{
    for (; t != NULL; t = task_awaiting(t)) {
        if (&t->frame == other) {
            return true;
        }
    }
    return false;
}

/* 0: the child may be awaited. */
static int judge(const awaiter *a, const task *child, co_handle parent)
{
    if (child == NULL) {
        return -ENOMEM;
    }
    if (waits_for(child, parent)) {
        return -EDEADLK;
    }
    if (child->owned || child->continuation != NULL) {
        return -EBUSY;
    }
    if (child->at.executor == NULL && (state_of(child) == RUNNING || state_of(child) == WAITING)) {
        return -EBUSY;
    }
    if (a->executor == NULL && state_of(child) < RETURNED) {
        return -EINVAL;
    }
    return 0;
}

static bool suspend_for_child(awaiter *a, co_handle parent)
{
    task *child = (task *)a->buffer;

    a->result = judge(a, child, parent);
    if (a->result != 0) {
        a->buffer = NULL; /* refused: the child is none of ours */
        return false;
    }
    child->continuation = a;
    if (state_of(child) >= RETURNED) {
        return false;
    }
    a->source = child;
    if (child->at.executor == NULL) {
        child->at.executor = a->executor;
        a->executor->schedule(a->executor, &child->frame);
    }
    return true;
}

static co_error refusal(const awaiter *a)
{
    const co_suspend_point *here = &((const task *)a->waiter)->at;
    const char *what = "cannot await: without an executor nobody could resume the awaiting task";

    if (a->result == -ENOMEM) {
        what = "cannot await NULL: there was no memory for the task";
    } else if (a->result == -EDEADLK) {
        what = "cannot await: the tasks would wait for each other";
    } else if (a->result == -EBUSY) {
        what = "cannot await: the task has another owner, or waits and is in nobody's hands";
    } else if (a->result == -ECANCELED) {
        what = "resumed before the awaited task had ended";
    }
    return co_error_at((int)a->result, what, here->file, here->line);
}

static intptr_t take_result(awaiter *a, co_error *thrown)
{
    task *child = (task *)a->buffer;
    intptr_t value = 0;

    if (a->result != 0) {
        *thrown = refusal(a);
    } else if (state_of(child) == FAILED) {
        *thrown = *task_error(child);
    } else {
        value = child->value;
    }
    if (child != NULL) {
        a->buffer = NULL;
        child->continuation = NULL;
        (void)task_destroy(child);
    }
    return value;
}

static void leave_child(awaiter *a)
{
    task *child = (task *)a->buffer;

    if (a->source != NULL) {
        a->source = NULL;
        a->result = -ECANCELED;
    }
    if (child != NULL) {
        child->continuation = NULL;
    }
}

static void describe_child(const awaiter *a, char *text, size_t size)
{
    const task *child = (const task *)a->buffer;

    (void)snprintf(text, size, "task '%s'", child != NULL ? child->name : "?");
}

static const awaiter_type awaits_task = {
    .name = "task",
    .await_ready = never_ready,
    .await_suspend = suspend_for_child,
    .await_resume = take_result,
    .await_cancel = leave_child,
    .await_describe = describe_child,
};

awaiter task_await(task *child)
{
    awaiter a = {.type = &awaits_task};

    a.buffer = child;
    return a;
}

static task *child_of(const task *t)
{
    return t->at.awaiting.type == &awaits_task ? (task *)t->at.awaiting.buffer : NULL;
}

task *task_awaiting(const task *t)
{
    return t->at.awaiting.source != NULL ? child_of(t) : NULL;
}

/* ---- Beginning and end --------------------------------------------------- */

static void destroy_by_handle(co_handle handle)
{
    (void)task_destroy((task *)handle);
}

static void release_by_free(co_handle handle)
{
    free(handle);
}

task *task_init(task *t, const char *name, void (*body)(co_handle), void (*release)(co_handle))
{
    static const task blank;

    *t = blank;
    t->name = name;
    t->frame.resume = body;
    t->frame.destroy = destroy_by_handle;
    t->release = release == NULL ? release_by_free : release;
    return t;
}

static void end(task *t)
{
    awaiter *parent = t->continuation;

    t->frame.resume = NULL;
    if (parent != NULL) {
        co_wake(parent, 0);
    }
}

void task_return_value(task *t, intptr_t value)
{
    t->value = value;
    end(t);
}

void task_unhandled_error(task *t, co_error error)
{
    t->failed = true;
    t->error = error;
    if (error.code == 0) {
        t->error.code = -EINVAL;
    }
    end(t);
}

/* ---- The owner ----------------------------------------------------------- */

int task_resume(task *t)
{
    if (t == NULL) {
        return -EINVAL;
    }
    switch (state_of(t)) {
    case CREATED:
    case PAUSED:
        t->frame.resume(&t->frame);
        return 0;
    case RUNNING:
    case WAITING:
        return -EBUSY;
    case RETURNED:
    case FAILED:
    default:
        return -EINVAL;
    }
}

bool task_done(const task *t)
{
    return state_of(t) >= RETURNED;
}

int task_get(task *t, intptr_t *value)
{
    if (t == NULL) {
        return -EINVAL;
    }
    switch (state_of(t)) {
    case RETURNED:
        if (value != NULL) {
            *value = t->value;
        }
        return 0;
    case FAILED:
        return task_error(t)->code;
    case CREATED:
    case RUNNING:
    case PAUSED:
    case WAITING:
    default:
        return -EAGAIN;
    }
}

const co_error *task_error(task *t)
{
    if (t == NULL || state_of(t) != FAILED) {
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

/* ---- Destroying ---------------------------------------------------------- */

static void destroy_one(task *t)
{
    const awaiter_type *type = t->at.awaiting.type;

    if (state_of(t) < RETURNED) {
        if (type != NULL && type->await_cancel != NULL) {
            type->await_cancel(&t->at.awaiting);
        }
        if (t->at.executor != NULL) {
            t->at.executor->unschedule(t->at.executor, &t->frame);
        }
    } else if (state_of(t) == FAILED && !t->error_taken) {
        report_error(t);
    }
    t->release(&t->frame);
}

int task_destroy(task *t)
{
    const task *below = t;

    if (t != NULL && t->continuation != NULL) {
        return -EBUSY;
    }
    while (below != NULL) {
        if (state_of(below) == RUNNING) {
            return -EBUSY;
        }
        below = child_of(below);
    }
    while (t != NULL) {
        task *child = child_of(t);

        destroy_one(t);
        t = child;
    }
    return 0;
}
