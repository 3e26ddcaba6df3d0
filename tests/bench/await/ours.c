/* await: children COUNT, or fibonacci N. Nanoseconds of one child: created, awaited, destroyed; COUNT
 * in turn, or by recursion.
 */
#include "measure.h"
#include "scheduler.h"

#include <string.h>

static long awaited;

/* ---- In turn -------------------------------------------------------------- */

struct child {
    task task;
    long number;
};

static void child_body(co_handle frame)
{
    struct child *self = (struct child *)frame;

    CO_BEGIN(self);
    CO_RETURN(self, self->number);
    CO_END(self);
}

static task *child(long number)
{
    struct child *self = allocate(sizeof *self);

    self->number = number;
    return task_init(&self->task, "child", child_body, NULL);
}

struct parent {
    task task;
    long left;
    intptr_t value;
};

static void parent_body(co_handle frame)
{
    struct parent *self = (struct parent *)frame;

    CO_BEGIN(self);
    for (; self->left > 0; self->left--) {
        CO_AWAIT(self, self->value, task_await(child(1)));
        awaited += self->value;
    }
    CO_END(self);
}

static task *parent(long count)
{
    struct parent *self = allocate(sizeof *self);

    self->left = count;
    return task_init(&self->task, "parent", parent_body, NULL);
}

/* ---- Recursion ------------------------------------------------------------ */

struct fibonacci {
    task task;
    long n;
    intptr_t a, b;
};

static task *fibonacci(long n);

static void fibonacci_body(co_handle frame)
{
    struct fibonacci *self = (struct fibonacci *)frame;

    CO_BEGIN(self);
    awaited++;
    if (self->n < 2) {
        CO_RETURN(self, self->n);
    }
    CO_AWAIT(self, self->a, task_await(fibonacci(self->n - 1)));
    CO_AWAIT(self, self->b, task_await(fibonacci(self->n - 2)));
    CO_RETURN(self, self->a + self->b);
    CO_END(self);
}

static task *fibonacci(long n)
{
    struct fibonacci *self = allocate(sizeof *self);

    self->n = n;
    return task_init(&self->task, "fibonacci", fibonacci_body, NULL);
}

int main(int argc, char **argv)
{
    long number = argument(argc, argv, 2);
    task *first = strcmp(argv[1], "children") == 0 ? parent(number) : fibonacci(number);
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    int64_t began = processor_ns();

    (void)scheduler_block_on(s, first, NULL);
    report_each(processor_ns() - began, awaited);
    (void)scheduler_destroy(s);
    return 0;
}
