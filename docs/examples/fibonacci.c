/* fibonacci.c - a task that awaits itself twice, smaller.
 *
 *     ./lab trace docs/examples/fibonacci.c
 */
#include "scheduler.h"

struct fibonacci {
    task task; /* first: the frame */
    intptr_t n, before, last;
};

static task *fibonacci(intptr_t n);

static void fibonacci_body(co_handle frame)
{
    struct fibonacci *self = (struct fibonacci *)frame;

    CO_BEGIN(self);
    if (self->n < 2) {
        CO_RETURN(self, self->n);
    }
    CO_AWAIT(self, self->before, task_await(fibonacci(self->n - 2)));
    CO_AWAIT(self, self->last, task_await(fibonacci(self->n - 1)));
    CO_RETURN(self, self->before + self->last);
    CO_END(self);
}

static task *fibonacci(intptr_t n)
{
    struct fibonacci *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->n = n;
    return task_init(&self->task, "fibonacci", fibonacci_body, NULL);
}

int main(void)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    intptr_t value = 0;
    int result = scheduler_block_on(s, fibonacci(5), &value);

    (void)printf("%d\n", (int)value);
    (void)scheduler_destroy(s);
    return result == 0 ? 0 : 1;
}
