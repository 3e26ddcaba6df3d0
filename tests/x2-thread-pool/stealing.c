/* stealing.c - several workers: whatever is ready is run by whoever has nothing to do. */
#include "jobs.h"
#include "lab_test.h"
#include "scheduler.h"

/* Three subtasks of blocking work, as many at a time as there are workers. */
struct work {
    struct door begun;   /* all that can run at a time have met here */
    unsigned at_a_time;  /* how many these are */
    atomic_uint inside;  /* how many are at work */
    atomic_uint highest; /* how many were */
};

enum { SUBTASKS = 3, UNIT = 100 /* ms */ };

static void note_inside(struct work *work)
{
    unsigned inside = atomic_fetch_add(&work->inside, 1) + 1;
    unsigned highest = work->highest;

    while (highest < inside && !atomic_compare_exchange_weak(&work->highest, &highest, inside)) {
    }
}

static void subtask_body(co_handle frame)
{
    struct job *self = job_enter(frame);
    struct work *work = self->data;

    CO_BEGIN(self);
    note_inside(work);
    door_meet(&work->begun, work->at_a_time);
    block_for(UNIT);
    atomic_fetch_sub(&work->inside, 1);
    CO_RETURN(self, 1);
    CO_END(self);
}

struct group {
    struct job job; /* first */
    task *subtask[SUBTASKS];
    intptr_t sum;
};

static void group_body(co_handle frame)
{
    struct group *self = (struct group *)frame;
    struct job *job = (struct job *)frame;

    CO_BEGIN(job);
    for (job->i = 0; job->i < SUBTASKS; job->i++) {
        struct job *subtask = job_create(job->pool, "subtask", NULL, subtask_body);

        subtask->data = job->data;
        self->subtask[job->i] = &subtask->task;
        start(job->pool, &subtask->task);
    }
    for (job->i = 0; job->i < SUBTASKS; job->i++) {
        CO_AWAIT(job, job->value, thread_pool_join(self->subtask[job->i]));
        self->sum += job->value;
    }
    CO_RETURN(job, self->sum);
    CO_END(job);
}

static void block_workers(size_t workers, int units)
{
    thread_pool *pool = new_pool(workers);
    struct work work = {.begun = DOOR_CLOSED, .at_a_time = (unsigned)workers};
    struct group *group = calloc(1, sizeof *group);
    int64_t began = now();

    if (group == NULL) {
        fail_test("the test itself: no memory");
    }
    step("%d subtasks, of which each blocks its worker for %d ms; %zu workers", SUBTASKS, UNIT,
         workers);
    group->job.pool = pool;
    group->job.data = &work;
    expect_result(pool, task_init(&group->job.task, "group", group_body, NULL), SUBTASKS);
    expect_time("time", now() - began, MILLISECONDS(units * UNIT), INT64_MAX);
    expect_int("how many were at work at the same time", (intptr_t)work.highest, (intptr_t)workers);
    destroy_pool(pool);
}

LAB_TEST(blocking_work_on_one_worker)
{
    block_workers(1, 3);
}

LAB_TEST(blocking_work_on_two_workers)
{
    block_workers(2, 2);
}

LAB_TEST(blocking_work_on_three_workers)
{
    block_workers(3, 1);
}

/* ---- Stealing -------------------------------------------------------------------------------- */

static void meeting_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    door_meet(self->door, (unsigned)self->steps);
    CO_END(self);
}

/* Makes `steps` tasks ready, and holds up its worker until they have met: others must take them
 * out of its ring. */
static void robbed_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    for (self->i = 0; self->i < self->steps; self->i++) {
        struct job *job = job_create(self->pool, "meeting", self->tally, meeting_body);

        job->door = self->door;
        job->steps = self->steps;
        schedule(self->pool, &job->task);
    }
    door_await(self->door, (unsigned)self->steps);
    CO_END(self);
}

static void rob(size_t workers)
{
    static struct door
        doors[100]; /* who has met may still be in the doorway when the next ones meet */
    thread_pool *pool = new_pool(workers);
    struct tally tally = {0};

    for (int i = 0; i < 100; i++) {
        struct job *job = job_create(pool, "robbed", &tally, robbed_body);

        doors[i] = (struct door)DOOR_CLOSED;
        job->door = &doors[i];
        job->steps = (int)workers - 1;
        expect_result(pool, &job->task, 0);
    }
    destroy_pool(pool);
    expect_int("times they were resumed", (intptr_t)tally.resumed, 100 * (intptr_t)workers);
}

LAB_TEST(ready_tasks_are_stolen)
{
    step("one worker makes a task ready, and blocks until it has run");
    rob(2);
    step("one worker makes three tasks ready, and blocks until they have met");
    rob(4);
}

/* The same, but they come from outside, to workers that sleep. */
LAB_TEST(all_workers_are_woken)
{
    enum { WORKERS = 4 };
    thread_pool *pool = new_pool(WORKERS);

    step("as many tasks as there are workers, which have to meet");
    for (int i = 0; i < 100; i++) {
        struct door door = DOOR_CLOSED;
        task *tasks[WORKERS];

        for (int k = 0; k < WORKERS; k++) {
            struct job *job = job_create(pool, "meeting", NULL, meeting_body);

            job->door = &door;
            job->steps = WORKERS;
            tasks[k] = &job->task;
            start(pool, tasks[k]);
        }
        for (int k = 0; k < WORKERS; k++) {
            expect_result(pool, tasks[k], 0);
        }
    }
    destroy_pool(pool);
}

/* ---- All of it together ---------------------------------------------------------------------- */

struct fibonacci {
    struct job job; /* first */
    task *left;
    intptr_t left_value, right_value;
    bool parallel;
};

static task *fibonacci(thread_pool *pool, struct tally *tally, int n, bool parallel);

static void fibonacci_release(co_handle frame)
{
    ((struct job *)frame)->tally->released++;
    free(frame);
}

static void fibonacci_body(co_handle frame)
{
    struct fibonacci *self = (struct fibonacci *)frame;
    struct job *job = job_enter(frame);

    CO_BEGIN(job);
    if (job->steps < 2) {
        CO_RETURN(job, job->steps);
    }
    self->left = fibonacci(job->pool, job->tally, job->steps - 1, self->parallel);
    if (self->parallel) {
        start(job->pool, self->left);
    }
    CO_AWAIT(job, self->right_value,
             task_await(fibonacci(job->pool, job->tally, job->steps - 2, self->parallel)));
    CO_AWAIT(job, self->left_value,
             self->parallel ? thread_pool_join(self->left) : task_await(self->left));
    CO_RETURN(job, self->left_value + self->right_value);
    CO_END(job);
}

static task *fibonacci(thread_pool *pool, struct tally *tally, int n, bool parallel)
{
    struct fibonacci *self = calloc(1, sizeof *self);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    self->job.pool = pool;
    self->job.tally = tally;
    self->job.steps = n;
    self->parallel = parallel;
    return task_init(&self->job.task, "fibonacci", fibonacci_body, fibonacci_release);
}

LAB_TEST(block_on_is_a_lazy_get)
{
    struct tally tally = {0};
    thread_pool *pool = new_pool(2);
    task *t = fibonacci(pool, &tally, 5, false);

    step("create a task: nothing runs");
    block_for(20);
    expect_int("times it was resumed", (intptr_t)tally.resumed, 0);
    step("block on it: fibonacci(5) is 5");
    expect_result(pool, t, 5);
    expect_int("tasks that were released", (intptr_t)tally.released, 15);
    destroy_pool(pool);
}

LAB_TEST(scheduler_drives_what_a_pool_would_run)
{
    struct tally tally = {0};
    thread_pool *pool = new_pool(1);
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    task *t = fibonacci(NULL, &tally, 5, false);
    intptr_t value = 0;

    step("a task that knows of no pool, in a pool");
    expect_result(pool, t, 5);
    destroy_pool(pool);
    step("the same one without a pool: milestone 2's scheduler drives it on this thread");
    tally.resumed = tally.released = 0;
    t = fibonacci(NULL, &tally, 5, false);
    expect_int("scheduler_start(s, t)", scheduler_start(s, t), 0);
    expect_int("times it was resumed", (intptr_t)tally.resumed, 0);
    expect_int("scheduler_block_on", scheduler_block_on(s, t, &value), 0);
    expect_int("value", value, 5);
    expect_int("tasks that were released", (intptr_t)tally.released, 15);
    expect_int("scheduler_destroy(s)", scheduler_destroy(s), 0);
}

LAB_TEST(fibonacci_on_many_workers)
{
    enum { N = 16, TASKS = 3193 };
    struct tally tally = {0};

    for (size_t workers = 1; workers <= 4; workers++) {
        thread_pool *pool = new_pool(workers);

        step("fibonacci(%d), each task starts one child and awaits the other; %zu workers", N,
             workers);
        tally.released = 0;
        expect_result(pool, fibonacci(pool, &tally, N, true), 987);
        destroy_pool(pool);
        expect_int("tasks that were released", (intptr_t)tally.released, TASKS);
    }
}
