/* spawn: ROUNDS. Nanoseconds of a coroutine's life: created, run to its end, destroyed. A round makes
 * a thousand, and then runs them.
 */
#include "measure.h"
#include "scheduler.h"

enum { BATCH = 1000 };

static long sum;

struct adder {
    task task;
    long number;
};

static void adder_body(co_handle frame)
{
    struct adder *self = (struct adder *)frame;

    CO_BEGIN(self);
    sum += self->number;
    CO_END(self);
}

static task *adder(long number)
{
    struct adder *self = allocate(sizeof *self);

    self->number = number;
    return task_init(&self->task, "adder", adder_body, NULL);
}

int main(int argc, char **argv)
{
    long rounds = argument(argc, argv, 1);
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    int64_t began = processor_ns();

    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < BATCH; i++) {
            (void)scheduler_spawn(s, adder(1));
        }
        (void)scheduler_run(s);
    }
    report_each(processor_ns() - began, sum);
    (void)scheduler_destroy(s);
    return 0;
}
