/* task.c - milestone 1: yours to write. README.md goes step by step; task.h says what each must do.
 *
 * Delete a not_implemented() when you write the body it stands for. Add what private functions you
 * like; they are `static`.
 */
#include "task.h"

#include "not_implemented.h"

/* ---- Step 1: create a task ----------------------------------------------- */

task *task_init(task *t, const char *name, void (*body)(co_handle), void (*release)(co_handle))
{
    (void)t;
    (void)name;
    (void)body;
    (void)release;
    not_implemented();
}

bool task_done(const task *t)
{
    (void)t;
    not_implemented();
}

/* ---- Step 2: resume and end ---------------------------------------------- */

int task_resume(task *t)
{
    (void)t;
    not_implemented();
}

void task_return_value(task *t, intptr_t value)
{
    (void)t;
    (void)value;
    not_implemented();
}

/* ---- Step 3: result and error -------------------------------------------- */

void task_unhandled_error(task *t, co_error error)
{
    (void)t;
    (void)error;
    not_implemented();
}

int task_get(task *t, intptr_t *value)
{
    (void)t;
    (void)value;
    not_implemented();
}

const co_error *task_error(task *t)
{
    (void)t;
    not_implemented();
}

void task_set_error_handler(task_error_handler *handler, void *context)
{
    (void)handler;
    (void)context;
    not_implemented();
}

unsigned long task_lost_errors(void)
{
    not_implemented();
}

/* ---- Step 4: destroy ----------------------------------------------------- */

int task_destroy(task *t)
{
    (void)t;
    not_implemented();
}

task *task_take(task **slot)
{
    (void)slot;
    not_implemented();
}

/* ---- Step 5: await a task ------------------------------------------------ */

awaiter task_await(task *child)
{
    (void)child;
    not_implemented();
}

task *task_awaiting(const task *t)
{
    (void)t;
    not_implemented();
}
