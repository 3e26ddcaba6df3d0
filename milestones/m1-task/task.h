/* task.h - milestone 1: a coroutine with a result, and exactly one owner.
 *
 * A task is *lazy*: creating it runs nothing. When its body ends, the frame stays (that is the
 * final suspend point), so that the result can be read; the owner destroys it. Functions that can
 * fail return 0 or a negative errno.
 *
 *     task *add(int a, int b)                                // creates the coroutine of co.h
 *     {
 *         struct add *self = malloc(sizeof *self);
 *
 *         if (self == NULL) {
 *             return NULL;                                   // NULL is handed on as -ENOMEM
 *         }
 *         self->a = a;
 *         self->b = b;
 *         return task_init(&self->task, "add", add_body, NULL);
 *     }
 */
#ifndef TASK_H
#define TASK_H

#include "co.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct task task;
struct task {
    struct co_frame frame; /* first: a task * is a co_handle */
    co_suspend_point at;   /* kept by the macros of co.h */

    const char *name;           /* for reports; a literal */
    void (*release)(co_handle); /* as given to task_init */
    awaiter *continuation;      /* the task_await that waits for the end; NULL: nobody */
    union {
        intptr_t ignored;      /* while it runs: a place for results of awaits that nobody wants */
        intptr_t value;        /* once frame.resume is NULL: what it returned, */
        struct co_error error; /*   or, if `failed`, what it threw */
    };

    bool failed;      /* it ended with an error */
    bool error_taken; /* somebody has seen that error */

    /* The executor's, from the moment the task enters it (milestone 2). */
    bool queued;           /* in the ready queue */
    bool owned;            /* destroyed by the executor when it ends */
    task *previous, *next; /* in the list of tasks that have entered and not ended */
};

/* ---- The promise: called when the coroutine begins and ends -------------- */

/* Makes `t`, the first member of a frame whose other members are set already, a coroutine suspended
 * before its first line (get_return_object and initial_suspend). Returns t.
 * release(frame) is called exactly once, when the task is destroyed: it frees what the frame owns,
 * then the frame itself. NULL stands for free(frame). */
task *task_init(task *t, const char *name, void (*body)(co_handle), void (*release)(co_handle));

/* The body returns `value`: stores it, marks the task done (frame.resume = NULL) and hands whoever
 * awaits it to that awaiter's executor. Frees nothing. The final suspend point is in here. */
void task_return_value(task *t, intptr_t value);

/* The body throws: as above, with an error. Code 0, which means no error, is stored as -EINVAL. */
void task_unhandled_error(task *t, co_error error);

/* ---- The owner's side ---------------------------------------------------- */

/* Runs the body until it suspends or ends; what it throws is reported by task_get, not here.
 *   -EINVAL  t is NULL or has ended
 *   -EBUSY   it is running, or something else will resume it: it has an executor, or it waits */
int task_resume(task *t);

/* True once the body has returned or thrown. */
bool task_done(const task *t);

/* Stores the value in *value (NULL: not wanted) and returns 0; or returns the code of the error
 * with which the task ended, as often as it is asked. *value is written only when 0 is returned.
 *   -EINVAL  t is NULL
 *   -EAGAIN  it has not ended */
int task_get(task *t, intptr_t *value);

/* The error with which the task ended, with its text and source line; NULL if there is none, or t is
 * NULL. It lives as long as the task. */
const co_error *task_error(task *t);

/* Ends the ownership: withdraws a suspended task from whatever it waits for (through its awaiter's
 * await_cancel, then its executor's unschedule), releases its frame, and does the same with the
 * child that it awaits, and so on, in constant stack. NULL is fine.
 *   -EBUSY   it is running, or a task it awaits is, or somebody awaits it and so owns it */
int task_destroy(task *t);

/* Moves the ownership out of *slot, which becomes NULL: task_await(task_take(&self->child)). */
task *task_take(task **slot);

/* ---- Awaiting a task ----------------------------------------------------- */

/* Awaits the end of `child`; the value is its value, and what it threw is thrown. Consumes the
 * child: it is destroyed after its result was taken, or with the waiting parent. A child that has no
 * executor, because it has not begun or was resumed by hand, is queued on the awaiter's executor,
 * which becomes its own (at.executor); its final suspend queues the parent. Neither resumes the
 * other from its own stack. A child that has ended does not suspend the parent.
 * Throws the first of these that applies, and does not consume the child (the error names the line
 * of the await):
 *   -ENOMEM   child is NULL: its creation ran out of memory
 *   -EDEADLK  child is the awaiting coroutine itself, or awaits it, be it through others: they
 *             would wait for ever, and nobody would be left to destroy them
 *   -EBUSY    somebody awaits it already; or it was spawned, and so is its scheduler's; or it has no
 *             executor and cannot be queued now, for it runs, or waits for something
 *   -EINVAL   child has not ended, and the parent has no executor that could resume it */
awaiter task_await(task *child);

/* The child whose end `t` waits for; NULL if it waits for no task. For reports. */
task *task_awaiting(const task *t);

/* ---- No error is lost ---------------------------------------------------- */

/* A task that failed, and is destroyed before anybody took its error (task_get, task_error or an
 * await), is reported once to this handler and counted. NULL, the default: one line on standard
 * error. `context` is passed on. The handler is one for the whole program: set it before the first
 * task runs. */
typedef void task_error_handler(const task *t, const co_error *error, void *context);
void task_set_error_handler(task_error_handler *handler, void *context);

/* How many errors were reported so far. */
unsigned long task_lost_errors(void);

#ifdef __cplusplus
}
#endif

#endif
