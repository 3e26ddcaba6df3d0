/* offloading.c - calls that block, and hold up no worker. */
#include "jobs.h"
#include "lab_test.h"

#include <errno.h>

/* Off-loads call(door); what is thrown counts as its value. */
struct caller {
    struct job job; /* first */
    thread_pool *where;
    intptr_t (*call)(void *);
};

static void calling_body(co_handle frame)
{
    struct caller *self = (struct caller *)frame;
    struct job *job = (struct job *)frame;

    CO_BEGIN(job);
    CO_TRY_AWAIT(job, job->value, job->error,
                 thread_pool_offload(self->where, self->call, job->door));
    CO_RETURN(job, job->error.code != 0 ? job->error.code : job->value);
    CO_END(job);
}

static struct caller *caller(thread_pool *pool, intptr_t (*call)(void *), struct door *door)
{
    struct caller *self = calloc(1, sizeof *self);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    self->job.door = door;
    self->where = pool;
    self->call = call;
    (void)task_init(&self->job.task, "caller", calling_body, NULL);
    return self;
}

static intptr_t pass(void *door)
{
    door_pass(door);
    return 42;
}

LAB_TEST(offloaded_call_holds_up_no_worker)
{
    thread_pool *pool = new_pool(1);
    struct door door = DOOR_CLOSED;
    task *t = &caller(pool, pass, &door)->job.task;

    step("off-load a call that blocks; one worker");
    start(pool, t);
    door_await(&door, 1);
    step("the worker can run others meanwhile");
    expect_result(pool, yielder(pool, "a", NULL, 2, 7), 7);
    expect_trace("a a a");
    step("the call returns: its value is the await's");
    door_open(&door);
    expect_result(pool, t, 42);
    destroy_pool(pool);
}

enum { AT_A_TIME = 8 };

static intptr_t meet(void *door)
{
    door_meet(door, AT_A_TIME);
    return 1;
}

static intptr_t count(void *door)
{
    door_ring(door);
    return 0;
}

/* One helper is idle when all come at once, in most rounds: the worker is held until they are there, and takes
 * less time for them than the helper needs to get up. */
static void let_them_meet(thread_pool *pool)
{
    struct door rung = DOOR_CLOSED, meeting = DOOR_CLOSED, gate = DOOR_CLOSED;
    task *tasks[AT_A_TIME];

    expect_result(pool, &caller(pool, count, &rung)->job.task, 0);
    block_for(2);
    hold(pool, &gate);
    for (int i = 0; i < AT_A_TIME; i++) {
        tasks[i] = &caller(pool, meet, &meeting)->job.task;
        start(pool, tasks[i]);
    }
    door_open(&gate);
    for (int i = 0; i < AT_A_TIME; i++) {
        expect_result(pool, tasks[i], 1);
    }
}

LAB_TEST(offloaded_calls_run_side_by_side)
{
    for (int round = 0; round < 30; round++) {
        thread_pool *pool = new_pool(1);

        step("one call, and when that is over, %d that have to meet", AT_A_TIME);
        let_them_meet(pool);
        destroy_pool(pool);
    }
}

LAB_TEST(more_calls_than_helpers)
{
    enum { CALLS = 300 };
    struct threads others;
    thread_pool *pool;
    struct door closed = DOOR_CLOSED;
    struct door rung = DOOR_CLOSED;

    begin_threads();
    others = list_threads(NULL);
    pool = new_pool(2);
    step("%d calls that block, and %d more behind them", THREAD_POOL_HELPERS, CALLS);
    for (int i = 0; i < THREAD_POOL_HELPERS; i++) {
        schedule(pool, &caller(pool, pass, &closed)->job.task);
    }
    door_await(&closed, THREAD_POOL_HELPERS);
    for (int i = 0; i < CALLS; i++) {
        schedule(pool, &caller(pool, count, &rung)->job.task);
    }
    expect_result(pool, silent(pool, NULL, 3), 3);
    expect_between("threads of the pool", (int64_t)list_threads(&others).count, 0,
                   2 + 1 + THREAD_POOL_HELPERS);
    expect_int("calls that were made of those that wait", (intptr_t)rung.arrived, 0);
    step("the first ones return: then the others are made");
    door_open(&closed);
    destroy_pool(pool);
    expect_int("calls that were made", (intptr_t)rung.arrived, CALLS);
    step("wait until all threads of the pool are gone");
    await_threads_gone(&others);
}

LAB_TEST(offload_refuses)
{
    thread_pool *pool = new_pool(1);
    thread_pool *other = new_pool(1);
    struct caller *self = caller(pool, NULL, NULL);
    intptr_t value = 0;

    step("NULL instead of a function");
    expect_result(pool, &self->job.task, -EINVAL);
    step("a pool in which the coroutine does not run");
    expect_result(pool, &caller(other, count, NULL)->job.task, -EINVAL);
    step("a coroutine that runs in no pool");
    self = caller(pool, count, NULL);
    expect_int("task_resume(t)", task_resume(&self->job.task), 0);
    expect_int("task_get(t, &value)", task_get(&self->job.task, &value), 0);
    expect_int("value", value, -EINVAL);
    expect_int("task_destroy(t)", task_destroy(&self->job.task), 0);
    destroy_pool(other);
    destroy_pool(pool);
}

static intptr_t destroy_own(void *pool)
{
    return thread_pool_destroy(pool);
}

LAB_TEST(offloaded_call_cannot_destroy_its_pool)
{
    thread_pool *pool = new_pool(1);
    struct caller *self = caller(pool, destroy_own, NULL);

    self->job.door = (struct door *)(void *)pool; /* the argument of the call */
    step("an off-loaded call destroys its own pool");
    expect_result(pool, &self->job.task, -EBUSY);
    destroy_pool(pool);
}
