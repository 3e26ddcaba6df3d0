/* memory.c - out of memory is an error, and not the end. */
#include "jobs.h"
#include "lab_test.h"

#include <errno.h>

LAB_TEST(no_memory_for_a_pool)
{
    struct threads others;
    unsigned long needed;

    begin_threads();
    others = list_threads(NULL);
    step("count the allocations of a pool");
    fail_allocation(0);
    destroy_pool(new_pool(2));
    needed = allocation_count();
    expect_between("allocations", (int64_t)needed, 1, 100);
    for (unsigned long n = 1; n <= needed; n++) {
        step("let number %lu fail", n);
        fail_allocation(n);
        errno = 0;
        expect_true("thread_pool_create gives NULL", thread_pool_create(2) == NULL);
        expect_int("errno", errno, ENOMEM);
        fail_allocation(0);
        expect_int("live blocks", (intptr_t)live_blocks(), 0);
        await_threads_gone(&others);
    }
}

LAB_TEST(no_memory_for_a_task)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    task *t = silent(pool, &tally, 42);

    step("start a task when there is no memory: it stays the caller's");
    fail_allocation(1);
    expect_int("thread_pool_start", thread_pool_start(pool, t), -ENOMEM);
    expect_int("times it was released", (intptr_t)tally.released, 0);
    step("block on it, the same");
    fail_allocation(1);
    expect_int("thread_pool_block_on", thread_pool_block_on(pool, t, NULL), -ENOMEM);
    step("schedule it, the same: it is destroyed");
    fail_allocation(1);
    expect_int("thread_pool_schedule", thread_pool_schedule(pool, t), -ENOMEM);
    expect_int("times it was released", (intptr_t)tally.released, 1);
    expect_int("times it was resumed", (intptr_t)tally.resumed, 0);
    fail_allocation(0);
    step("with memory again, all is well");
    expect_result(pool, silent(pool, &tally, 43), 43);
    destroy_pool(pool);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

/* Sleeps when there is no memory for the first sleeper of a pool. */
static void sleepless_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    fail_allocation(1);
    CO_AWAIT(self, self->value, thread_pool_sleep_for(self->pool, MILLISECONDS(1)));
    fail_allocation(0);
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(no_memory_for_a_sleeper)
{
    thread_pool *pool = new_pool(1);

    expect_result(pool, &job_create(pool, "a", NULL, sleepless_body)->task, -ENOMEM);
    expect_result(pool, sleeper(pool, "b", NULL, MILLISECONDS(1), 7), 7);
    destroy_pool(pool);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

static void waking_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, bell_wait(self->bell));
    CO_AWAIT(self, self->task.ignored, thread_pool_yield(self->pool));
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(waking_needs_no_memory)
{
    enum { TASKS = 400 };
    thread_pool *pool = new_pool(2);
    static struct bell bells[TASKS];
    task *tasks[TASKS];

    step("%d tasks wait: more than a ring can hold", TASKS);
    for (int i = 0; i < TASKS; i++) {
        struct job *job = job_create(pool, "a", NULL, waking_body);

        bells[i] = (struct bell)BELL;
        job->bell = &bells[i];
        tasks[i] = &job->task;
        start(pool, tasks[i]);
    }
    for (int i = 0; i < TASKS; i++) {
        bell_await(&bells[i]);
    }
    fail_allocation(0);
    step("wake them");
    for (int i = 0; i < TASKS; i++) {
        bell_ring(&bells[i], i);
    }
    for (int i = 0; i < TASKS; i++) {
        expect_result(pool, tasks[i], i);
    }
    expect_int("allocations since then", (intptr_t)allocation_count(), 0);
    destroy_pool(pool);
}
