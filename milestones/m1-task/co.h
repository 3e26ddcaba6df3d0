/* co.h - what a C++20 compiler generates for a coroutine, written out for C.
 *
 * Given: read it first, change nothing. The *runtime* behind it (task, scheduler, timers, event
 * loop) is what you build.
 *
 * A coroutine is a function that can stop in the middle and go on later. Its locals cannot live on
 * the stack, which is gone when the function returns, so they live in a *frame*: a struct whose
 * first member is a `struct task` (task.h). The function that runs it is the *body*:
 *
 *     struct add { task task; int a, b; intptr_t sum; };     // the frame
 *
 *     static void add_body(co_handle frame)                  // the body
 *     {
 *         struct add *self = (struct add *)frame;
 *
 *         CO_BEGIN(self);
 *         CO_AWAIT(self, self->sum, task_await(worker(self->a, self->b)));
 *         CO_RETURN(self, self->sum);
 *         CO_END(self);
 *     }
 *
 * The macros turn the body into a `switch` over the line where it stopped. By hand it would be:
 *
 *         self->task.at.running = true;
 *         switch (self->task.at.line) {                      // CO_BEGIN: jump to where it stopped
 *         case 0:                                            //   (0: it has not begun)
 *             self->task.at.awaiting = task_await(worker(self->a, self->b));
 *             self->task.at.line = 11;                       // CO_AWAIT, on source line 11:
 *             if (co_suspend(&self->task.frame, &self->task.at)) {
 *                 return;                                    //   leave; somebody will resume us,
 *         case 11:;                                          //   and the switch jumps to here
 *             }
 *             self->sum = co_finish_await(&self->task.at, &thrown);  // throws? end with that error
 *             self->task.at.running = false;
 *             task_return_value(&self->task, self->sum);     // CO_RETURN
 *             return;
 *         default: ...                                       // CO_END: no such line, stop
 *         }
 *
 * Three rules follow from that switch:
 *   1. Declare before CO_BEGIN only `self`, and what is computed from it alone: that is done again
 *      at every resume.
 *   2. What must survive an await lives in the frame, not in a local variable.
 *   3. No await inside a `switch` of your own: its `case` would be found by the wrong switch.
 *      CO_END notices, and stops the program with a sentence.
 * And write at most one await on a source line.
 */
#ifndef CO_H
#define CO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Frame and handle ---------------------------------------------------- */

/* The two words with which the frame of a C++20 coroutine begins, in GCC, Clang and MSVC alike.
 * A handle is a pointer to them: all that a scheduler needs to know of a coroutine. */
typedef struct co_frame *co_handle;
struct co_frame {
    void (*resume)(co_handle);  /* runs the body to its next suspension; NULL at the final one */
    void (*destroy)(co_handle); /* withdraws a suspended coroutine from its wait, frees the frame */
};

/* ---- Errors: C's exceptions here ----------------------------------------- */

typedef struct co_error {
    int code;         /* 0: no error. Else the thrower's choice: a negative errno, or its own */
    int line;         /* where it was thrown */
    const char *file; /* where it was thrown; a string that lives for ever, as __FILE__ does */
    const char *what; /* for people; must live as long as the error: give a literal */
} co_error;

static inline co_error co_error_at(int code, const char *what, const char *file, int line)
{
    co_error error;

    error.code = code;
    error.line = line;
    error.file = file;
    error.what = what;
    return error;
}

/* ---- Executor: where a coroutine is resumed ------------------------------ */

/* The seam upwards: "make this ready". Implemented by the scheduler, or by a recorder in a test. */
typedef struct executor executor;
struct executor {
    /* `handle` has nothing left to wait for: resume it soon, never from inside this call. Cannot
     * fail: room was reserved when its task entered the executor. (A child that is awaited has not
     * entered: it takes the place of its parent, which is not ready meanwhile.) */
    void (*schedule)(executor *self, co_handle handle);
    /* `handle`, a coroutine of this executor that has not ended, ready or not, is being destroyed:
     * forget it. */
    void (*unschedule)(executor *self, co_handle handle);
};

/* ---- Awaiter: what a coroutine waits for --------------------------------- */

/* Whoever ends the wait calls co_wake: no source of events needs to know the scheduler. The struct
 * lives in the frame of the coroutine that waits, so waiting allocates nothing. */
typedef struct awaiter awaiter;
typedef struct awaiter_type awaiter_type;
struct awaiter {
    const awaiter_type *type; /* its functions; NULL: the coroutine waits for nothing */

    /* Filled in by CO_AWAIT: whom to wake, and where. */
    struct executor *executor; /* the coroutine's own, unless the awaiter names one; NULL: none */
    co_handle waiter;

    /* The source's, while the coroutine waits. */
    void *source;  /* what it waits on; NULL as soon as the wait is over */
    awaiter *next; /* in the source's list of waiters; the executor's while the waiter is ready */
    void *buffer;  /* three words for the source: where data goes or comes from, ... */
    union {
        size_t length;    /* ... how much, ... */
        int64_t deadline; /* (or until when, in nanoseconds), ... */
    };
    intptr_t result; /* ... and what comes of it */
};

/* The functions of an awaiter, by their C++ names; await_cancel is its destructor. */
struct awaiter_type {
    const char *name; /* "yield", "sleep": shown in traces and dead-lock reports */
    /* True: the result is there, do not suspend. `executor` and `waiter` are set by now. */
    bool (*await_ready)(awaiter *a);
    /* The coroutine counts as suspended: see that somebody wakes it. False: resume it at once. */
    bool (*await_suspend)(awaiter *a, co_handle waiter);
    /* The value of the await; an error is stored in *thrown, whose code is 0 before. */
    intptr_t (*await_resume)(awaiter *a, co_error *thrown);
    /* The coroutine is destroyed while suspended here, or was resumed by hand. If the wait is not
     * over (source != NULL), withdraw from it; if it is, release the result that nobody will take
     * (an accepted connection, say). NULL: nothing to do. */
    void (*await_cancel)(awaiter *a);
    /* Writes what is awaited, "read(fd 7)", for reports. NULL: the name says enough. */
    void (*await_describe)(const awaiter *a, char *text, size_t size);
};

/* Ends a wait: the await's result is `result`, and its coroutine is made ready where it belongs. (A
 * coroutine whose executor is gone can only be destroyed: it has executor NULL.) */
static inline void co_wake(awaiter *a, intptr_t result)
{
    a->source = NULL;
    a->result = result;
    if (a->executor != NULL) {
        a->executor->schedule(a->executor, a->waiter);
    }
}

/* Where a coroutine stands: kept in the frame by the macros below, besides your own variables. */
typedef struct co_suspend_point {
    struct executor *executor; /* where this coroutine is resumed; NULL: by hand (task_resume) */
    awaiter awaiting;          /* what it waits for; its type is NULL when it waits for nothing */
    const char *file;          /* the source line at which it stopped; line 0: not begun */
    int line;
    bool running; /* its body is on the stack right now */
} co_suspend_point;

/* Keeps the awaiter in the frame, and the line to go on at. Word by word: so a compiler that has inlined
 * the awaiter's maker writes each word straight into the frame. A struct that is assigned as a whole is
 * first put together on the stack and then read in larger pieces than it was written in, for which the
 * processor has to wait: gcc 12's yield takes three times as long. */
static inline void co_await_at(co_suspend_point *at, awaiter a, int line)
{
    awaiter *kept = &at->awaiting;

    kept->type = a.type;
    kept->executor = a.executor;
    kept->source = a.source;
    kept->next = a.next;
    kept->buffer = a.buffer;
    kept->deadline = a.deadline; /* or length, which is the same word */
    kept->result = a.result;
    at->line = line;
}

/* First half of an await. True: the body must return, and not touch the frame any more, for another
 * thread may be running it already. */
static inline bool co_suspend(co_handle self, co_suspend_point *at)
{
    awaiter *a = &at->awaiting;

    a->waiter = self;
    if (a->executor == NULL) {
        a->executor = at->executor;
    }
    if (a->type->await_ready(a)) {
        return false;
    }
    at->running = false; /* before await_suspend: it may hand us to somebody who resumes us */
    if (a->type->await_suspend(a, self)) {
        return true;
    }
    at->running = true;
    return false;
}

/* Second half: the value of the await. Resumed by hand, with the wait not over, it is withdrawn. */
static inline intptr_t co_finish_await(co_suspend_point *at, co_error *thrown)
{
    awaiter *a = &at->awaiting;
    intptr_t value;

    if (a->source != NULL && a->type->await_cancel != NULL) {
        a->type->await_cancel(a);
    }
    value = a->type->await_resume(a, thrown);
    a->type = NULL;
    return value;
}

/* CO_END's trap: the body was resumed at a line that has no await. */
static inline void co_lost(const char *name, const co_suspend_point *at)
{
    (void)fprintf(stderr,
                  "co.h: '%s' was to go on at %s:%d, but its body has no such resume point. Is the "
                  "await inside a `switch` of your own (rule 3)?\n",
                  name, at->file, at->line);
    abort();
}

/* ---- std::suspend_always ------------------------------------------------- */

static inline bool co_always_ready(awaiter *a)
{
    (void)a;
    return false;
}

static inline bool co_always_suspend(awaiter *a, co_handle waiter)
{
    (void)a;
    (void)waiter;
    return true;
}

static inline intptr_t co_always_resume(awaiter *a, co_error *thrown)
{
    (void)a;
    (void)thrown;
    return 0;
}

/* Suspends and wakes nobody: the coroutine goes on when somebody resumes it by hand. Value 0. */
static inline awaiter co_suspend_always(void)
{
    static const awaiter_type type = {
        "suspend_always", co_always_ready, co_always_suspend, co_always_resume, NULL, NULL};
    awaiter a = {0};

    a.type = &type;
    return a;
}

#ifdef __cplusplus
}
#endif

/* ---- The macros ---------------------------------------------------------- */

/* Opens the body: jumps to where it stopped. */
#define CO_BEGIN(self)                                                                             \
    (self)->task.at.running = true;                                                                \
    (self)->task.at.file = __FILE__;                                                               \
    switch ((self)->task.at.line) {                                                                \
    case 0:

/* Waits for an awaiter; `result` (an lvalue; self->task.ignored if you do not want it) takes its
 * value, `error` (an lvalue of type co_error) what it throws: code 0 if nothing.
 * The `case` stands inside the `if`, after a `return`, so that nothing falls through to it. */
#define CO_TRY_AWAIT(self, result, error, awaiter_)                                                \
    do {                                                                                           \
        co_await_at(&(self)->task.at, (awaiter_), __LINE__);                                       \
        if (co_suspend(&(self)->task.frame, &(self)->task.at)) {                                   \
            return;                                                                                \
        case __LINE__:;                                                                            \
        }                                                                                          \
        (error) = co_error_at(0, NULL, NULL, 0);                                                   \
        (result) = co_finish_await(&(self)->task.at, &(error));                                    \
    } while (0)

/* The same, but what it throws ends this coroutine, with the same error, as an exception would. */
#define CO_AWAIT(self, result, awaiter_)                                                           \
    do {                                                                                           \
        co_await_at(&(self)->task.at, (awaiter_), __LINE__);                                       \
        if (co_suspend(&(self)->task.frame, &(self)->task.at)) {                                   \
            return;                                                                                \
        case __LINE__:;                                                                            \
        }                                                                                          \
        {                                                                                          \
            co_error co_thrown_ = co_error_at(0, NULL, NULL, 0);                                   \
            intptr_t co_value_ = co_finish_await(&(self)->task.at, &co_thrown_);                   \
                                                                                                   \
            if (co_thrown_.code != 0) {                                                            \
                (self)->task.at.running = false;                                                   \
                task_unhandled_error(&(self)->task, co_thrown_);                                   \
                return;                                                                            \
            }                                                                                      \
            (result) = co_value_;                                                                  \
        }                                                                                          \
    } while (0)

/* Ends the coroutine with a value. */
#define CO_RETURN(self, value_)                                                                    \
    do {                                                                                           \
        intptr_t co_value_ = (value_);                                                             \
                                                                                                   \
        (self)->task.at.running = false;                                                           \
        task_return_value(&(self)->task, co_value_);                                               \
        return;                                                                                    \
    } while (0)

/* Ends the coroutine with an error. `code` must not be 0; `what` is a literal. */
#define CO_THROW(self, code_, what_)                                                               \
    do {                                                                                           \
        (self)->task.at.running = false;                                                           \
        task_unhandled_error(&(self)->task, co_error_at((code_), (what_), __FILE__, __LINE__));    \
        return;                                                                                    \
    } while (0)

/* Closes the body; falling off its end returns 0. */
/* clang-format off */
#define CO_END(self)                                                                               \
        (self)->task.at.running = false;                                                           \
        task_return_value(&(self)->task, 0);                                                       \
        return;                                                                                    \
    default:                                                                                       \
        co_lost((self)->task.name, &(self)->task.at);                                              \
    }                                                                                              \
    do {                                                                                           \
    } while (0)
/* clang-format on */

#endif
