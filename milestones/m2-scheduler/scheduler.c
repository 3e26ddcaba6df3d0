/* scheduler.c - milestone 2: yours to write. README.md goes step by step; scheduler.h says what
 * each must do.
 */
#include "scheduler.h"

#include "not_implemented.h"

struct scheduler {
    executor executor; /* first, so that an executor * is a scheduler * */
    /* yours: the ready queue, the tasks that have entered, ... */
};

/* ---- Step 1: the ready queue --------------------------------------------- */

scheduler *scheduler_create(scheduler_policy policy)
{
    (void)policy;
    not_implemented();
}

executor *scheduler_executor(scheduler *s)
{
    (void)s;
    not_implemented();
}

int scheduler_schedule(scheduler *s, co_handle handle)
{
    (void)s;
    (void)handle;
    not_implemented();
}

bool scheduler_has_work(const scheduler *s)
{
    (void)s;
    not_implemented();
}

/* ---- Step 2: run and yield ----------------------------------------------- */

int scheduler_run(scheduler *s)
{
    (void)s;
    not_implemented();
}

awaiter scheduler_yield(scheduler *s)
{
    (void)s;
    not_implemented();
}

/* ---- Step 3: owning tasks ------------------------------------------------ */

int scheduler_spawn(scheduler *s, task *t)
{
    (void)s;
    (void)t;
    not_implemented();
}

int scheduler_start(scheduler *s, task *t)
{
    (void)s;
    (void)t;
    not_implemented();
}

int scheduler_destroy(scheduler *s)
{
    (void)s;
    not_implemented();
}

/* ---- Step 4: awaiting and errors ----------------------------------------- */

int scheduler_block_on(scheduler *s, task *t, intptr_t *value)
{
    (void)s;
    (void)t;
    (void)value;
    not_implemented();
}

/* ---- Step 5: fairness and the driver ------------------------------------- */

void scheduler_set_driver(scheduler *s, driver *d)
{
    (void)s;
    (void)d;
    not_implemented();
}

/* ---- Step 6: dead-lock report -------------------------------------------- */

size_t scheduler_report(const scheduler *s, FILE *out)
{
    (void)s;
    (void)out;
    not_implemented();
}
