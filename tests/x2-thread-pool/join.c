/* join.c - a started task, and whoever takes it when it has ended. */
#include "jobs.h"
#include "lab_test.h"

#include <errno.h>
#include <string.h>

/* Starts b, goes on, joins it: `1 2 b 3`. */
static void parallel_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    trace("1");
    self->child = yielder(self->pool, "b", self->tally, 0, 42);
    start(self->pool, self->child);
    trace("2");
    CO_AWAIT(self, self->value, thread_pool_join(task_take(&self->child)));
    trace("3");
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(start_does_not_suspend)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};

    step("a task starts b, goes on, and joins b later; one worker");
    expect_result(pool, &job_create(pool, "a", &tally, parallel_body)->task, 42);
    expect_trace("1 2 b 3");
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    destroy_pool(pool);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(join_of_what_has_ended)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    struct door door = DOOR_CLOSED;
    task *child = yielder(pool, "b", &tally, 1, 42);
    task *t = joiner(pool, "a", &tally, child);

    hold(pool, &door);
    start(pool, child);
    schedule(pool, yielder(pool, "o", NULL, 2, 0));
    door_open(&door);
    step("b ends; nobody waits for it yet");
    while (tally.resumed < 2) {
        block_for(1);
    }
    step("then a joins it: without suspending, so it is resumed once");
    expect_result(pool, t, 42);
    expect_int("times both were resumed", (intptr_t)tally.resumed, 3);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    destroy_pool(pool);
}

LAB_TEST(join_while_it_ends)
{
    enum { ROUNDS = 5000 };
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};

    step("%d times: one worker joins a task that ends on the other, sooner or later", ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
        struct job *job = job_create(pool, "a", &tally, parallel_body);

        expect_result(pool, &job->task, 42);
        trace_clear();
    }
    destroy_pool(pool);
    expect_int("tasks that were released", (intptr_t)tally.released, 2 * ROUNDS);
}

LAB_TEST(block_on_started_task)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    struct bell bell = BELL;
    task *t = waiter(pool, "w", &tally, &bell);

    step("block on a task that was started before, and waits");
    start(pool, t);
    bell_ring(&bell, 7);
    expect_result(pool, t, 7);
    step("block on one without a place for the value");
    expect_int("thread_pool_block_on", thread_pool_block_on(pool, silent(pool, &tally, 1), NULL),
               0);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    destroy_pool(pool);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void rethrowing_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, task_await(task_take(&self->child)));
    CO_END(self);
}

LAB_TEST(error_comes_out_at_await_and_get)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    struct job *job = job_create(pool, "p", &tally, rethrowing_body);
    intptr_t value = 5;

    step("a child throws 7; its parent awaits it, and does not catch that");
    job->child = thrower(pool, "c", &tally, 1, 7);
    expect_int("thread_pool_block_on", thread_pool_block_on(pool, &job->task, &value), 7);
    expect_int("value, which must stay as it was", value, 5);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    expect_int("errors reported as lost", (intptr_t)task_lost_errors(), 0);
    destroy_pool(pool);
}

LAB_TEST(error_comes_out_at_join)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    task *child = thrower(pool, "c", &tally, 0, 7);

    step("a started task throws 7; whoever joins it catches that");
    start(pool, child);
    expect_result(pool, catcher(pool, "p", &tally, child), 7);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    expect_int("errors reported as lost", (intptr_t)task_lost_errors(), 0);
    destroy_pool(pool);
}

static void count_error(const task *t, const co_error *error, void *context)
{
    (void)t;
    atomic_fetch_add((atomic_uint *)context, error->code == 7 ? 1 : 100);
}

LAB_TEST(error_that_nobody_takes_is_reported)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    atomic_uint reported = 0;

    task_set_error_handler(count_error, &reported);
    step("a scheduled task throws 7");
    schedule(pool, thrower(pool, "c", &tally, 1, 7));
    destroy_pool(pool);
    expect_int("times it was reported", (intptr_t)reported, 1);
    expect_int("times it was released", (intptr_t)tally.released, 1);
    expect_int("task_lost_errors()", (intptr_t)task_lost_errors(), 1);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* What joining self->child throws. */
static intptr_t refusal(thread_pool *pool, task *child)
{
    task *t = catcher(pool, "refused", NULL, child);
    intptr_t value = 0;

    expect_int("thread_pool_block_on", thread_pool_block_on(pool, t, &value), 0);
    return value;
}

static void self_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_TRY_AWAIT(self, self->value, self->error, thread_pool_join(self->data));
    CO_RETURN(self, self->error.code);
    CO_END(self);
}

LAB_TEST(join_refuses)
{
    thread_pool *pool = new_pool(1);
    thread_pool *other = new_pool(1);
    struct tally tally = {0};
    struct bell bell = BELL;
    task *t = silent(pool, &tally, 1);
    struct job *self = job_create(pool, "self", &tally, self_body);
    struct job *above = job_create(pool, "above", &tally, rethrowing_body);
    struct job *below = job_create(pool, "below", &tally, self_body);
    intptr_t value = 0;

    step("join NULL");
    expect_int("the error", refusal(pool, NULL), -EINVAL);
    step("join a task that was not started");
    expect_int("the error", refusal(pool, t), -EINVAL);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    step("join itself");
    self->data = &self->task;
    expect_result(pool, &self->task, -EDEADLK);
    step("join the one that awaits it");
    above->child = &below->task;
    below->data = &above->task;
    expect_int("thread_pool_block_on", thread_pool_block_on(pool, &above->task, &value), 0);
    step("join a task of another pool");
    t = waiter(other, "w", &tally, &bell);
    start(other, t);
    expect_int("the error", refusal(pool, t), -EINVAL);
    bell_ring(&bell, 1);
    expect_result(other, t, 1);
    expect_int("tasks that were released", (intptr_t)tally.released, 5);
    destroy_pool(other);
    destroy_pool(pool);
}

LAB_TEST(join_by_two)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    struct bell bell = BELL;
    task *t = waiter(pool, "w", &tally, &bell);
    task *first = joiner(pool, "first", &tally, t);
    struct job *second = job_create(pool, "second", &tally, self_body);

    start(pool, t);
    bell_await(&bell);
    start(pool, first);
    step("a task that another one joins already");
    second->data = t;
    expect_result(pool, &second->task, -EBUSY);
    expect_int("thread_pool_detach(t)", thread_pool_detach(t), -EBUSY);
    expect_int("thread_pool_block_on", thread_pool_block_on(pool, t, NULL), -EBUSY);
    bell_ring(&bell, 9);
    expect_result(pool, first, 9);
    expect_trace("w-waits first-joins w-got-9 first-got-9");
    expect_int("tasks that were released", (intptr_t)tally.released, 3);
    destroy_pool(pool);
}

/* Awaits with task_await what has an end of its own. */
static void awaiting_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_TRY_AWAIT(self, self->value, self->error, task_await(self->data));
    CO_RETURN(self, self->error.code);
    CO_END(self);
}

LAB_TEST(await_of_a_started_task)
{
    thread_pool *pool = new_pool(1);
    struct bell bell = BELL;
    task *t = waiter(pool, "w", NULL, &bell);
    struct job *job = job_create(pool, "a", NULL, awaiting_body);

    start(pool, t);
    bell_await(&bell);
    step("task_await a started task, whose end may come on another thread: only a join can");
    job->data = t;
    expect_result(pool, &job->task, -EBUSY);
    bell_ring(&bell, 3);
    expect_result(pool, t, 3);
    destroy_pool(pool);
}

LAB_TEST(start_and_schedule_refuse)
{
    thread_pool *pool = new_pool(1);
    thread_pool *other = new_pool(1);
    struct tally tally = {0};
    struct bell bell = BELL;
    task *t = waiter(pool, "w", &tally, &bell);
    task *ended = silent(pool, &tally, 0);

    step("NULL");
    expect_int("thread_pool_start", thread_pool_start(pool, NULL), -ENOMEM);
    expect_int("thread_pool_schedule", thread_pool_schedule(pool, NULL), -ENOMEM);
    expect_int("thread_pool_block_on", thread_pool_block_on(pool, NULL, NULL), -ENOMEM);
    step("a task that has ended");
    expect_int("task_resume(t)", task_resume(ended), 0);
    expect_int("thread_pool_start", thread_pool_start(pool, ended), -EINVAL);
    expect_int("thread_pool_schedule", thread_pool_schedule(pool, ended), -EINVAL);
    expect_int("task_destroy(t)", task_destroy(ended), 0);
    step("a task that is in the pool");
    start(pool, t);
    expect_int("thread_pool_start", thread_pool_start(pool, t), -EALREADY);
    expect_int("thread_pool_schedule", thread_pool_schedule(pool, t), -EALREADY);
    step("the same, with another pool");
    expect_int("thread_pool_start", thread_pool_start(other, t), -EBUSY);
    expect_int("thread_pool_schedule", thread_pool_schedule(other, t), -EBUSY);
    expect_int("thread_pool_block_on", thread_pool_block_on(other, t, NULL), -EBUSY);
    bell_ring(&bell, 3);
    expect_result(pool, t, 3);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    destroy_pool(other);
    destroy_pool(pool);
}

static void inside_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    self->code = thread_pool_block_on(self->pool, self->child, NULL);
    self->value = thread_pool_destroy(self->pool);
    if (self->code != -EBUSY) {
        fail_test("thread_pool_block_on in a coroutine of the pool\nexpected: -EBUSY\nactual:   %d",
                  self->code);
    }
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(inside_of_the_pool_nothing_blocks)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    struct job *job = job_create(pool, "a", &tally, inside_body);

    step("a coroutine blocks on a task, and destroys its own pool");
    job->child = silent(pool, &tally, 0);
    expect_result(pool, &job->task, -EBUSY);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    destroy_pool(pool);
}

/* ---- Detaching ------------------------------------------------------------------------------- */

LAB_TEST(detached_task_is_the_pools)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    struct bell bell = BELL;
    task *t = waiter(pool, "w", &tally, &bell);

    step("detach a task that was not started");
    expect_int("thread_pool_detach", thread_pool_detach(t), -EINVAL);
    expect_int("thread_pool_detach(NULL)", thread_pool_detach(NULL), -EINVAL);
    step("detach one that waits");
    start(pool, t);
    bell_await(&bell);
    expect_int("thread_pool_detach", thread_pool_detach(t), 0);
    expect_int("times it was released", (intptr_t)tally.released, 0);
    expect_int("once more", thread_pool_detach(t), -EBUSY);
    step("it ends");
    bell_ring(&bell, 1);
    while (tally.released < 1) {
        block_for(1);
    }
    step("detach one that has ended");
    t = silent(pool, &tally, 0);
    start(pool, t);
    expect_result(pool, silent(pool, NULL, 0), 0); /* one worker: after the other one */
    expect_int("thread_pool_detach", thread_pool_detach(t), 0);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    destroy_pool(pool);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}
