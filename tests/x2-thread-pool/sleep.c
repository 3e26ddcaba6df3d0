/* sleep.c - timers that hold up no worker. */
#include "jobs.h"
#include "lab_test.h"

#include <errno.h>
#include <string.h>

static void timed_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    *(int64_t *)self->data = now();
    CO_AWAIT(self, self->value, thread_pool_sleep_for(self->pool, self->duration));
    *(int64_t *)self->data = now() - *(int64_t *)self->data;
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(sleep_is_never_early)
{
    thread_pool *pool = new_pool(2);

    for (int i = 0; i < 20; i++) {
        struct job *job = job_create(pool, "sleeper", NULL, timed_body);
        int64_t slept = 0;

        step("sleep for %d.%d ms", i / 2, i % 2 * 5);
        job->duration = MICROSECONDS(500) * i;
        job->data = &slept;
        expect_result(pool, &job->task, 0);
        expect_time("time", slept, MICROSECONDS(500) * i, INT64_MAX);
    }
    destroy_pool(pool);
}

/* Sleeps until a deadline, and tells its name. */
static void deadline_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, thread_pool_sleep_until(self->pool, self->duration));
    trace("%s", self->name);
    CO_END(self);
}

static void schedule_until(thread_pool *pool, const char *name, struct tally *tally,
                           int64_t deadline)
{
    struct job *job = job_create(pool, name, tally, deadline_body);

    job->duration = deadline;
    schedule(pool, &job->task);
}

/* Deadlines from one moment on, and far enough away that all three are asleep before, also on a busy
 * machine. */
LAB_TEST(shortest_sleep_ends_first)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};
    int64_t begin = now() + MILLISECONDS(500);

    step("three tasks sleep until 60, 20 and 40 ms after a moment; one worker");
    schedule_until(pool, "60", &tally, begin + MILLISECONDS(60));
    schedule_until(pool, "20", &tally, begin + MILLISECONDS(20));
    schedule_until(pool, "40", &tally, begin + MILLISECONDS(40));
    destroy_pool(pool);
    expect_trace("20 40 60");
    expect_int("times they were resumed", (intptr_t)tally.resumed, 6);
}

/* ---- Three files ----------------------------------------------------------------------------- */

static void file_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    trace("open-%s", self->name);
    CO_AWAIT(self, self->task.ignored, thread_pool_sleep_for(self->pool, self->duration));
    trace("read-%s", self->name);
    if (self->data == NULL) {
        CO_THROW(self, -ENOENT, "no such file");
    }
    CO_RETURN(self, (intptr_t)self->data);
    CO_END(self);
}

static task *file(thread_pool *pool, const char *name, int milliseconds, char *content)
{
    struct job *self = job_create(pool, name, NULL, file_body);

    self->duration = MILLISECONDS(milliseconds);
    self->data = content;
    return &self->task;
}

enum { FILES = 4 };

struct reader {
    struct job job; /* first */
    task *file[FILES];
    char text[100];
};

static void reader_body(co_handle frame)
{
    struct reader *self = (struct reader *)frame;
    struct job *job = (struct job *)frame;

    CO_BEGIN(job);
    for (job->i = 0; job->i < FILES; job->i++) {
        start(job->pool, self->file[job->i]);
    }
    for (job->i = 0; job->i < FILES; job->i++) {
        CO_TRY_AWAIT(job, job->value, job->error, thread_pool_join(self->file[job->i]));
        if (job->error.code == 0) {
            (void)strcat(strcat(self->text, job->i > 0 ? "," : ""), (const char *)job->value);
        } else {
            trace("caught-%d", job->error.code);
        }
    }
    expect_string("all content", self->text, "content a,content b,content c");
    CO_END(job);
}

LAB_TEST(timers_hold_up_no_worker)
{
    static char contents[3][10] = {"content a", "content b", "content c"};
    thread_pool *pool = new_pool(1);
    struct reader *reader = calloc(1, sizeof *reader);
    int64_t began = now();

    if (reader == NULL) {
        fail_test("the test itself: no memory");
    }
    step("read four files, which takes 50, 60, 70 and 10 ms; one is missing; one worker");
    reader->job.pool = pool;
    reader->file[0] = file(pool, "a", 50, contents[0]);
    reader->file[1] = file(pool, "b", 60, contents[1]);
    reader->file[2] = file(pool, "c", 70, contents[2]);
    reader->file[3] = file(pool, "d", 10, NULL);
    expect_result(pool, task_init(&reader->job.task, "reader", reader_body, NULL), 0);
    expect_time("time", now() - began, MILLISECONDS(70), INT64_MAX);
    expect_trace("open-a open-b open-c open-d read-d read-a read-b read-c caught--2");
    destroy_pool(pool);
    expect_int("errors reported as lost", (intptr_t)task_lost_errors(), 0);
}

/* ---- An earlier timer ------------------------------------------------------------------------ */

static void late_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    door_ring(self->door);
    while (!*(atomic_bool *)self->data) {
        CO_AWAIT(self, self->task.ignored, thread_pool_sleep_for(self->pool, SECONDS(3)));
    }
    CO_END(self);
}

/* Half of the late one's time is more than any machine needs, and less than it takes if it is
 * waited for. */
LAB_TEST(earlier_timer_is_on_time)
{
    thread_pool *pool = new_pool(2);
    struct door door = DOOR_CLOSED;
    atomic_bool over = false;
    struct job *late = job_create(pool, "late", NULL, late_body);

    step("a task sleeps for 3 s, and so do all threads of the pool");
    late->door = &door;
    late->data = &over;
    schedule(pool, &late->task);
    door_await(&door, 1);
    for (int i = 0; i < 100; i++) {
        int64_t began = now();

        step("meanwhile another one sleeps for 2 ms, %d of 100", i + 1);
        expect_result(pool, sleeper(pool, "early", NULL, MILLISECONDS(2), 0), 0);
        expect_time("time", now() - began, MILLISECONDS(2), MILLISECONDS(1500));
    }
    over = true;
    destroy_pool(pool);
}

/* ---- Zero, in the past, and elsewhere -------------------------------------------------------- */

static void zero_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    trace("%s", self->name);
    CO_AWAIT(self, self->value, thread_pool_sleep_for(self->pool, self->duration));
    trace("%s", self->name);
    CO_AWAIT(self, self->value, thread_pool_sleep_until(self->pool, self->duration));
    trace("%s", self->name);
    CO_END(self);
}

static task *zero_sleeper(thread_pool *pool, const char *name, int64_t duration)
{
    struct job *self = job_create(pool, name, NULL, zero_body);

    self->duration = duration;
    return &self->task;
}

LAB_TEST(zero_sleep_yields)
{
    thread_pool *pool = new_pool(1);
    struct door door = DOOR_CLOSED;

    hold(pool, &door);
    step("two tasks sleep for 0 ns, and for less, and until a time that has passed; one worker");
    schedule(pool, zero_sleeper(pool, "a", 0));
    schedule(pool, zero_sleeper(pool, "b", INT64_MIN));
    door_open(&door);
    destroy_pool(pool);
    expect_trace("a b a b a b");
}

static void until_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, thread_pool_sleep_until(self->data, self->duration));
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(sleep_until_a_deadline)
{
    thread_pool *pool = new_pool(1);
    thread_pool *other = new_pool(1);
    struct job *job = job_create(pool, "a", NULL, until_body);
    int64_t deadline = now() + MILLISECONDS(30);
    intptr_t value = 0;

    step("sleep until 30 ms from now");
    job->data = pool;
    job->duration = deadline;
    expect_result(pool, &job->task, 0);
    expect_time("time after the deadline", now() - deadline, 0, INT64_MAX);
    step("sleep in a pool in which the coroutine does not run");
    job = job_create(pool, "b", NULL, until_body);
    job->data = other;
    job->duration = INT64_MAX;
    expect_result(pool, &job->task, -EINVAL);
    step("sleep in no pool at all");
    job = job_create(pool, "c", NULL, until_body);
    job->data = pool;
    job->duration = INT64_MAX;
    expect_int("task_resume(t)", task_resume(&job->task), 0);
    expect_int("task_get(t, &value)", task_get(&job->task, &value), 0);
    expect_int("value", value, -EINVAL);
    expect_int("task_destroy(t)", task_destroy(&job->task), 0);
    destroy_pool(other);
    destroy_pool(pool);
}

LAB_TEST(many_sleepers)
{
    enum { SLEEPERS = 2000 };
    thread_pool *pool = new_pool(3);
    struct tally tally = {0};

    step("%d tasks sleep for 0 to 20 ms, on 3 workers", SLEEPERS);
    for (int i = 0; i < SLEEPERS; i++) {
        schedule(pool, sleeper(pool, "s", &tally, MICROSECONDS(10) * i, 0));
    }
    destroy_pool(pool);
    expect_int("times they were resumed", (intptr_t)tally.resumed, 2 * SLEEPERS);
    expect_int("tasks that were released", (intptr_t)tally.released, SLEEPERS);
}
