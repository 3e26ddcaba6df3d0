/* ending.c - thread_pool_destroy: finishes what can be finished, sleeps while it waits, leaves
 * nothing. */
#include "jobs.h"
#include "lab_test.h"

#include <errno.h>
#include <time.h>

/* Schedules one more of its kind, `steps` times. */
static void breeding_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, thread_pool_yield(self->pool));
    if (self->steps > 0) {
        struct job *next = job_create(self->pool, "breeder", self->tally, breeding_body);

        next->steps = self->steps - 1;
        schedule(self->pool, &next->task);
    }
    CO_END(self);
}

LAB_TEST(destroy_finishes_queued_work)
{
    enum { CHAINS = 20, LENGTH = 50 };
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};

    step("%d tasks, of which each schedules another one, %d times; destroy the pool", CHAINS,
         LENGTH);
    for (int i = 0; i < CHAINS; i++) {
        struct job *job = job_create(pool, "breeder", &tally, breeding_body);

        job->steps = LENGTH - 1;
        schedule(pool, &job->task);
    }
    destroy_pool(pool);
    expect_int("times they were resumed", (intptr_t)tally.resumed, 2 * CHAINS * LENGTH);
    expect_int("tasks that were released", (intptr_t)tally.released, CHAINS * LENGTH);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

/* Sleeps `steps` times, then wakes who waits for the bell. */
static void ringing_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    for (self->i = 0; self->i < self->steps; self->i++) {
        CO_AWAIT(self, self->task.ignored, thread_pool_sleep_for(self->pool, MILLISECONDS(10)));
    }
    trace("rings");
    bell_ring(self->bell, 5);
    CO_END(self);
}

LAB_TEST(destroy_finishes_timers)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    struct bell bell = BELL;
    struct job *job = job_create(pool, "ringer", &tally, ringing_body);
    int64_t began = now();

    step("one waits for another, which sleeps for 10 ms, three times; destroy the pool");
    schedule(pool, waiter(pool, "w", &tally, &bell));
    bell_await(&bell);
    job->bell = &bell;
    job->steps = 3;
    schedule(pool, &job->task);
    destroy_pool(pool);
    expect_time("time", now() - began, MILLISECONDS(30), INT64_MAX);
    expect_trace("w-waits rings w-got-5");
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
}

static intptr_t block_a_while(void *argument)
{
    block_for(30);
    return (intptr_t)argument;
}

static void calling_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, thread_pool_offload(self->pool, block_a_while, NULL));
    trace("called");
    CO_AWAIT(self, self->value, thread_pool_offload(self->pool, block_a_while, NULL));
    trace("called-again");
    CO_END(self);
}

LAB_TEST(destroy_finishes_offloaded_calls)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};

    step("a task off-loads two calls of 30 ms, one after the other; destroy the pool");
    schedule(pool, &job_create(pool, "caller", &tally, calling_body)->task);
    destroy_pool(pool);
    expect_trace("called called-again");
    expect_int("times it was released", (intptr_t)tally.released, 1);
}

static int64_t processor_time(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return SECONDS(t.tv_sec) + t.tv_nsec;
}

/* A machine under load gives less processor time, to those that spin as well: hence a tenth. */
LAB_TEST(destroy_sleeps_while_it_waits)
{
    thread_pool *pool = new_pool(2);
    int64_t used, began;

    step("a task sleeps for 500 ms; destroy the pool");
    schedule(pool, sleeper(pool, "s", NULL, MILLISECONDS(500), 0));
    began = now();
    used = processor_time();
    destroy_pool(pool);
    used = processor_time() - used;
    expect_time("processor time that was used meanwhile", used, 0, (now() - began) / 10);
}

/* ---- Those that wait for ever ---------------------------------------------------------------- */

LAB_TEST(destroy_with_waiting_tasks)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    struct bell bells[3] = {BELL, BELL, BELL};
    task *child;

    step("scheduled: one that waits for ever, and one that awaits such a one");
    schedule(pool, waiter(pool, "w", &tally, &bells[0]));
    bell_await(&bells[0]);
    schedule(pool, parent(pool, "p", &tally, waiter(pool, "c", &tally, &bells[1])));
    bell_await(&bells[1]);
    step("and one that joins such a one");
    child = waiter(pool, "d", &tally, &bells[2]);
    start(pool, child);
    bell_await(&bells[2]);
    schedule(pool, joiner(pool, "j", &tally, child));
    expect_int("thread_pool_destroy(pool): how many tasks of the pool wait for ever",
               thread_pool_destroy(pool), 4);
    expect_int("tasks that were released", (intptr_t)tally.released, 5);
    for (int i = 0; i < 3; i++) {
        expect_int("times the wait was withdrawn", (intptr_t)bells[i].cancelled, 1);
    }
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(destroy_leaves_started_tasks)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    struct bell bells[2] = {BELL, BELL};
    task *waiting = waiter(pool, "w", &tally, &bells[0]);
    task *above = parent(pool, "p", &tally, waiter(pool, "c", &tally, &bells[1]));
    task *ended = silent(pool, &tally, 42);
    intptr_t value = 0;

    start(pool, waiting);
    bell_await(&bells[0]);
    start(pool, above);
    bell_await(&bells[1]);
    start(pool, ended);
    step("started: two that wait for ever, and one that has ended; destroy the pool");
    expect_int("thread_pool_destroy(pool)", thread_pool_destroy(pool), 2);
    expect_int("tasks that were released", (intptr_t)tally.released, 0);
    step("they are their owner's, who reads and destroys them");
    expect_int("task_get(t, &value)", task_get(ended, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_get of one that waits", task_get(waiting, &value), -EAGAIN);
    step("to wake one has no effect any more");
    bell_ring(&bells[0], 1);
    expect_int("task_destroy", task_destroy(ended), 0);
    expect_int("task_destroy", task_destroy(waiting), 0);
    expect_int("task_destroy", task_destroy(above), 0);
    expect_int("tasks that were released", (intptr_t)tally.released, 4);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(destroy_leaves_a_started_joiner)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    struct bell bell = BELL;
    task *child = waiter(pool, "c", &tally, &bell);
    task *t = joiner(pool, "j", &tally, child);

    step("a started task joins another one, which waits for ever; destroy the pool");
    start(pool, child);
    bell_await(&bell);
    start(pool, t);
    expect_int("thread_pool_destroy(pool)", thread_pool_destroy(pool), 2);
    expect_int("tasks that were released", (intptr_t)tally.released, 0);
    step("its owner destroys it, and with it the other one, which it had taken");
    expect_int("task_destroy", task_destroy(t), 0);
    expect_int("tasks that were released", (intptr_t)tally.released, 2);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

/* Its release wakes one, and detaches or destroys another, of the same pool. */
struct heir {
    struct job job;      /* first */
    struct bell *others; /* two: one of those that wait there is destroyed later than this one */
    task *detached;
    task *destroyed;
};

static int started_in_release; /* what thread_pool_start gave then */

static void heir_release(co_handle frame)
{
    struct heir *self = (struct heir *)frame;

    self->job.tally->released++;
    started_in_release = thread_pool_start(self->job.pool, self->job.child);
    (void)task_destroy(self->job.child);
    for (int i = 0; i < 2; i++) {
        if (self->others[i].waiting != NULL) {
            bell_ring(&self->others[i], 1);
        }
    }
    (void)thread_pool_detach(self->detached);
    (void)task_destroy(self->destroyed);
    free(self);
}

static void heir_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, bell_wait(self->bell));
    CO_END(self);
}

LAB_TEST(destroyed_tasks_may_do_anything)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    struct bell bells[5] = {BELL, BELL, BELL, BELL, BELL};
    struct heir *heir = calloc(1, sizeof *heir);

    if (heir == NULL) {
        fail_test("the test itself: no memory");
    }
    heir->job.tally = &tally;
    heir->job.pool = pool;
    heir->job.bell = &bells[0];
    heir->job.child = silent(pool, &tally, 0);
    heir->others = &bells[1];
    heir->detached = waiter(pool, "detached", &tally, &bells[3]);
    heir->destroyed = parent(pool, "p", &tally, waiter(pool, "destroyed", &tally, &bells[4]));
    start(pool, heir->detached);
    start(pool, heir->destroyed);
    schedule(pool, waiter(pool, "woken", &tally, &bells[1]));
    schedule(pool, task_init(&heir->job.task, "heir", heir_body, heir_release));
    schedule(pool, waiter(pool, "woken", &tally, &bells[2]));
    for (int i = 0; i < 5; i++) {
        bell_await(&bells[i]);
    }
    step("what a task releases wakes one, detaches one, destroys one and starts one; destroy the "
         "pool");
    expect_int("thread_pool_destroy(pool)", thread_pool_destroy(pool), 5);
    expect_int("thread_pool_start then", started_in_release, -ECANCELED);
    expect_int("tasks that were released", (intptr_t)tally.released, 7);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}
