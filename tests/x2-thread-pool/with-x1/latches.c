/* latches.c - a latch for coroutines of the pool, which any thread counts down. */
#include "jobs.h"
#include "lab_test.h"
#include "latch.h"

#include <errno.h>

/* Waits for the latch; trace: its name, and what the wait gave. */
static void latch_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, latch_wait(self->data));
    trace("%s%ld", self->name, (long)self->value);
    CO_RETURN(self, self->value);
    CO_END(self);
}

static task *latch_waiter(thread_pool *pool, const char *name, struct tally *tally, latch *l)
{
    struct job *job = job_create(pool, name, tally, latch_body);

    job->data = l;
    return &job->task;
}

/* One worker: a task that comes now runs when all that were ready before have run. */
static void let_all_run(thread_pool *pool)
{
    expect_result(pool, silent(pool, NULL, 0), 0);
}

LAB_TEST(latch_opens_for_all)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    latch l;

    latch_init(&l, 2);
    step("two tasks wait for a latch of two");
    schedule(pool, latch_waiter(pool, "a", &tally, &l));
    schedule(pool, latch_waiter(pool, "b", &tally, &l));
    let_all_run(pool);
    step("count down once: nobody goes on");
    expect_int("latch_count_down(l, 1)", latch_count_down(&l, 1), 0);
    let_all_run(pool);
    expect_trace("");
    step("once more: both go on");
    expect_int("latch_count_down(l, 1)", latch_count_down(&l, 1), 0);
    let_all_run(pool);
    expect_trace("a0 b0");
    expect_int("times they were resumed", (intptr_t)tally.resumed, 4);
    step("who comes late does not suspend");
    expect_result(pool, latch_waiter(pool, "c", &tally, &l), 0);
    expect_int("times they were resumed", (intptr_t)tally.resumed, 5);
    step("a latch of three, counted down by three at once");
    latch_destroy(&l);
    latch_init(&l, 3);
    schedule(pool, latch_waiter(pool, "d", &tally, &l));
    let_all_run(pool);
    expect_int("latch_count_down(l, 3)", latch_count_down(&l, 3), 0);
    let_all_run(pool);
    expect_trace("a0 b0 c0 d0");
    destroy_pool(pool);
    latch_destroy(&l);
}

static void counting_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, thread_pool_yield(self->pool));
    (void)latch_count_down(self->data, 1);
    CO_END(self);
}

static void quiet_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, latch_wait(self->data));
    CO_END(self);
}

LAB_TEST(latch_of_many)
{
    enum { MANY = 100, ROUNDS = 20 };
    thread_pool *pool = new_pool(4);
    latch latches[ROUNDS];
    struct tally tally = {0};

    step("%d times: %d tasks wait for a latch, %d others count it down; 4 workers", ROUNDS, MANY,
         MANY);
    for (int round = 0; round < ROUNDS; round++) {
        latch_init(&latches[round], MANY);
        for (int i = 0; i < 2 * MANY; i++) {
            struct job *job =
                job_create(pool, "one of many", &tally, i % 2 == 0 ? quiet_body : counting_body);

            job->data = &latches[round];
            schedule(pool, &job->task);
        }
    }
    destroy_pool(pool);
    expect_int("tasks that were released", (intptr_t)tally.released, (intptr_t)2 * MANY * ROUNDS);
    for (int round = 0; round < ROUNDS; round++) {
        latch_destroy(&latches[round]);
    }
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(latch_outlives_the_pool)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    latch l;

    latch_init(&l, 1);
    step("two tasks wait for a latch; destroy the pool");
    schedule(pool, latch_waiter(pool, "a", &tally, &l));
    schedule(pool, latch_waiter(pool, "b", &tally, &l));
    let_all_run(pool);
    expect_int("thread_pool_destroy(pool)", thread_pool_destroy(pool), 2);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    step("the latch has forgotten them");
    expect_int("latch_count_down(l, 1)", latch_count_down(&l, 1), 0);
    latch_destroy(&l);
    expect_trace("");
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}
