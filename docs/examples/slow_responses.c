/* slow_responses.c - three subtasks that *block* their thread for 1 s each: one worker needs 3 s for them, two
 * need 2 s, three need 1 s. It ends with 1 if it was faster than that, or more than 1.9 s slower.
 */
#include "clock.h"
#include "thread_pool.h"

#include <time.h>

enum { RESPONSES = 3 };

struct response {
    task task; /* first: the frame */
};

static void response_body(co_handle frame)
{
    struct response *self = (struct response *)frame;

    CO_BEGIN(self);
    (void)nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    CO_RETURN(self, 1);
    CO_END(self);
}

static task *response(void)
{
    struct response *self = calloc(1, sizeof *self);

    return self == NULL ? NULL : task_init(&self->task, "response", response_body, NULL);
}

struct sum {
    task task; /* first: the frame */
    thread_pool *pool;
    struct task *responses[RESPONSES];
    intptr_t value, total;
    int i;
};

static void sum_body(co_handle frame)
{
    struct sum *self = (struct sum *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < RESPONSES; self->i++) {
        self->responses[self->i] = response();
        (void)thread_pool_start(self->pool, self->responses[self->i]);
    }
    for (self->i = 0; self->i < RESPONSES; self->i++) {
        CO_AWAIT(self, self->value, thread_pool_join(task_take(&self->responses[self->i])));
        self->total += self->value;
    }
    CO_RETURN(self, self->total);
    CO_END(self);
}

static task *sum(thread_pool *pool)
{
    struct sum *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->pool = pool;
    return task_init(&self->task, "sum", sum_body, NULL);
}

static int64_t now(void)
{
    return lab_clock_monotonic()->now(lab_clock_monotonic());
}

static bool takes(int64_t expected, size_t workers)
{
    thread_pool *pool = thread_pool_create(workers);
    int64_t begin = now(), taken;
    intptr_t value = 0;

    (void)thread_pool_block_on(pool, sum(pool), &value);
    taken = now() - begin;
    (void)printf("workers: %zu, value: %d\n", workers, (int)value);
    (void)thread_pool_destroy(pool);
    return taken >= expected && taken < expected + MILLISECONDS(1900);
}

int main(void)
{
    bool as_promised = takes(MILLISECONDS(3000), 1);

    as_promised = takes(MILLISECONDS(2000), 2) && as_promised;
    as_promised = takes(MILLISECONDS(1000), 3) && as_promised;
    return as_promised ? 0 : 1;
}
