/* pool: WORKERS STEPS ROUNDS. Nanoseconds of real time for a task of a thread pool: started, run, joined. A
 * round starts a thousand, each of which takes so many steps of arithmetic, and joins them all.
 */
#include "measure.h"
#include "thread_pool.h"
#include "work.h"

enum { BATCH = 1000 };

struct worker_task {
    task task;
    long steps;
};

static void work_body(co_handle frame)
{
    struct worker_task *self = (struct worker_task *)frame;

    CO_BEGIN(self);
    CO_RETURN(self, work(self->steps));
    CO_END(self);
}

static task *work_task(long steps)
{
    struct worker_task *self = allocate(sizeof *self);

    self->steps = steps;
    return task_init(&self->task, "work", work_body, NULL);
}

struct batch {
    task task;
    thread_pool *pool;
    long steps, rounds;
    int i;
    intptr_t value, done;
    struct task *started[BATCH];
};

static void batch_body(co_handle frame)
{
    struct batch *self = (struct batch *)frame;

    CO_BEGIN(self);
    for (; self->rounds > 0; self->rounds--) {
        for (self->i = 0; self->i < BATCH; self->i++) {
            self->started[self->i] = work_task(self->steps);
            (void)thread_pool_start(self->pool, self->started[self->i]);
        }
        for (self->i = 0; self->i < BATCH; self->i++) {
            CO_AWAIT(self, self->value, thread_pool_join(self->started[self->i]));
            self->done += self->value;
        }
    }
    CO_RETURN(self, self->done);
    CO_END(self);
}

int main(int argc, char **argv)
{
    struct batch *batch = allocate(sizeof *batch);
    intptr_t done = 0;
    int64_t began;

    *batch = (struct batch){.pool = thread_pool_create((size_t)argument(argc, argv, 1)),
                            .steps = argument(argc, argv, 2),
                            .rounds = argument(argc, argv, 3)};
    if (batch->pool == NULL) {
        return 3;
    }
    began = real_ns();
    (void)thread_pool_block_on(batch->pool, task_init(&batch->task, "batch", batch_body, NULL),
                               &done);
    report_each(real_ns() - began, done);
    return 0;
}
