/* mutexes.c - a mutex that suspends the coroutine, and not the worker. */
#include "jobs.h"
#include "lab_test.h"
#include "mutex.h"

enum { FIVE = 5 };

/* How many sleep just now, and how many did when the first holder had the mutex. */
struct bedroom {
    mutex mutex;
    atomic_int asleep;
    int asleep_then;
};

struct holder {
    struct job job; /* first */
    struct bedroom *room;
    mutex_guard guard;
};

static void holder_body(co_handle frame)
{
    struct holder *self = (struct holder *)frame;
    struct job *job = job_enter(frame);

    CO_BEGIN(job);
    CO_AWAIT(job, job->value, mutex_guard_lock(&self->guard, &self->room->mutex));
    if (job->i == 0) {
        self->room->asleep_then = self->room->asleep;
    }
    CO_AWAIT(job, job->value, thread_pool_sleep_for(job->pool, MILLISECONDS(10)));
    trace("%d", job->i);
    mutex_guard_release(&self->guard);
    CO_END(job);
}

static task *holder(thread_pool *pool, struct bedroom *room, int number)
{
    struct holder *self = calloc(1, sizeof *self);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    self->job.pool = pool;
    self->job.i = number;
    self->room = room;
    return task_init(&self->job.task, "holder", holder_body, NULL);
}

/* One worker: they come to the mutex in the order in which they were scheduled. */
LAB_TEST(mutex_hands_over_in_order)
{
    thread_pool *pool = new_pool(1);
    struct bedroom room = {.asleep_then = 0};
    struct door door = DOOR_CLOSED;
    int64_t began;

    mutex_init(&room.mutex);
    hold(pool, &door);
    step("five tasks lock a mutex for 10 ms each; one worker");
    for (int i = 0; i < FIVE; i++) {
        schedule(pool, holder(pool, &room, i));
    }
    began = now();
    door_open(&door);
    destroy_pool(pool);
    expect_time("time", now() - began, MILLISECONDS(50), INT64_MAX);
    expect_trace("0 1 2 3 4");
    mutex_destroy(&room.mutex);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

static void bedroom_body(co_handle frame)
{
    struct job *self = job_enter(frame);
    struct bedroom *room = self->data;

    CO_BEGIN(self);
    room->asleep++;
    CO_AWAIT(self, self->value, thread_pool_sleep_for(self->pool, MILLISECONDS(100)));
    room->asleep--;
    CO_END(self);
}

/* That they wait at the same time is seen by counting: the worker has taken all ten before it comes to any
 * of them again. */
LAB_TEST(mutex_waits_beside_sleepers)
{
    thread_pool *pool = new_pool(1);
    struct bedroom room = {.asleep_then = 0};
    struct door door = DOOR_CLOSED;
    int64_t began;

    mutex_init(&room.mutex);
    hold(pool, &door);
    step("five tasks sleep for 100 ms, five lock a mutex for 10 ms each; one worker");
    for (int i = 0; i < FIVE; i++) {
        struct job *sleeper = job_create(pool, "sleeper", NULL, bedroom_body);

        sleeper->data = &room;
        schedule(pool, &sleeper->task);
    }
    for (int i = 0; i < FIVE; i++) {
        schedule(pool, holder(pool, &room, i));
    }
    began = now();
    door_open(&door);
    destroy_pool(pool);
    expect_time("time", now() - began, MILLISECONDS(100), INT64_MAX);
    expect_int("sleepers when the first one had the mutex", room.asleep_then, FIVE);
    expect_trace("0 1 2 3 4");
    mutex_destroy(&room.mutex);
}

/* ---- Several workers ------------------------------------------------------------------------- */

struct counting {
    struct job job; /* first */
    mutex *mutex;
    long *total; /* guarded by the mutex */
    long before;
};

static void counting_body(co_handle frame)
{
    struct counting *self = (struct counting *)frame;
    struct job *job = job_enter(frame);

    CO_BEGIN(job);
    for (job->i = 0; job->i < job->steps; job->i++) {
        CO_AWAIT(job, job->value, mutex_lock(self->mutex));
        self->before = *self->total;
        CO_AWAIT(job, job->task.ignored, thread_pool_yield(job->pool));
        *self->total = self->before + 1; /* right, if nobody else has counted meanwhile */
        job->code += job->value != 0 || mutex_unlock(self->mutex, frame) != 0;
    }
    CO_RETURN(job, job->code);
    CO_END(job);
}

LAB_TEST(mutex_counts_on_four_workers)
{
    enum { TASKS = 8, ROUNDS = 500 };
    thread_pool *pool = new_pool(4);
    task *tasks[TASKS];
    long total = 0;
    mutex m;

    mutex_init(&m);
    step("%d tasks count to %d each, under one mutex, on 4 workers", TASKS, ROUNDS);
    for (int i = 0; i < TASKS; i++) {
        struct counting *self = calloc(1, sizeof *self);

        if (self == NULL) {
            fail_test("the test itself: no memory");
        }
        *self = (struct counting){{.pool = pool, .steps = ROUNDS}, &m, &total, 0};
        tasks[i] = task_init(&self->job.task, "counting", counting_body, NULL);
        start(pool, tasks[i]);
    }
    for (int i = 0; i < TASKS; i++) {
        expect_result(pool, tasks[i], 0);
    }
    expect_int("what they have counted together", total, (intptr_t)TASKS * ROUNDS);
    destroy_pool(pool);
    mutex_destroy(&m);
}

/* ---- When the pool goes ---------------------------------------------------------------------- */

static void keeper_release(co_handle frame)
{
    struct holder *self = (struct holder *)frame;

    self->job.tally->released++;
    mutex_guard_release(&self->guard);
    free(self);
}

static void keeper_body(co_handle frame)
{
    struct holder *self = (struct holder *)frame;
    struct job *job = job_enter(frame);

    CO_BEGIN(job);
    CO_AWAIT(job, job->value, mutex_guard_lock(&self->guard, &self->room->mutex));
    trace("locked");
    CO_AWAIT(job, job->value, bell_wait(job->bell));
    CO_END(job);
}

LAB_TEST(mutex_guard_goes_with_the_pool)
{
    thread_pool *pool = new_pool(2);
    struct bedroom room = {.asleep_then = 0};
    struct tally tally = {0};
    struct bell bell = BELL;
    struct co_frame somebody = {NULL, NULL};

    mutex_init(&room.mutex);
    step("a task has locked a mutex, and waits for ever; two wait for the mutex; destroy the pool");
    for (int i = 0; i < 3; i++) {
        struct holder *self = calloc(1, sizeof *self);

        if (self == NULL) {
            fail_test("the test itself: no memory");
        }
        *self =
            (struct holder){.job = {.pool = pool, .tally = &tally, .bell = &bell}, .room = &room};
        schedule(pool, task_init(&self->job.task, "keeper", keeper_body, keeper_release));
        bell_await(&bell); /* after the first one, at once */
    }
    expect_int("thread_pool_destroy(pool)", thread_pool_destroy(pool), 3);
    expect_int("tasks that were released", (intptr_t)tally.released, 3);
    expect_trace("locked");
    expect_true("the mutex is free", mutex_try_lock(&room.mutex, &somebody) == 0);
    mutex_destroy(&room.mutex);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}
