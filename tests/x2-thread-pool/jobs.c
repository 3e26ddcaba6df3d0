/* jobs.c - see jobs.h. */
#include "jobs.h"

#include <string.h>

/* Filled before it is freed, so that whoever still reads it gets nonsense even without a
 * sanitizer. */
static void release_job(co_handle frame)
{
    struct job *self = (struct job *)frame;

    if (self->tally != NULL) {
        self->tally->released++;
    }
    (void)task_destroy(self->child);
    memset(self, 0xA5, sizeof *self);
    free(self);
}

struct job *job_create_if(thread_pool *pool, const char *name, struct tally *tally,
                          void (*body)(co_handle))
{
    struct job *self = calloc(1, sizeof *self);

    if (self != NULL) {
        self->pool = pool;
        self->name = name;
        self->tally = tally;
        (void)task_init(&self->task, name, body, release_job);
    }
    return self;
}

struct job *job_create(thread_pool *pool, const char *name, struct tally *tally,
                       void (*body)(co_handle))
{
    struct job *self = job_create_if(pool, name, tally, body);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    return self;
}

struct job *job_enter(co_handle frame)
{
    struct job *self = (struct job *)frame;

    if (self->tally != NULL) {
        self->tally->resumed++;
    }
    return self;
}

static void yielding_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    for (self->i = 0; self->i < self->steps; self->i++) {
        trace("%s", self->name);
        CO_AWAIT(self, self->task.ignored, thread_pool_yield(self->pool));
    }
    trace("%s", self->name);
    if (self->code != 0) {
        CO_THROW(self, self->code, "thrown by a test");
    }
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *yielder(thread_pool *pool, const char *name, struct tally *tally, int steps, intptr_t value)
{
    struct job *self = job_create(pool, name, tally, yielding_body);

    self->steps = steps;
    self->value = value;
    return &self->task;
}

task *thrower(thread_pool *pool, const char *name, struct tally *tally, int steps, int code)
{
    struct job *self = job_create(pool, name, tally, yielding_body);

    self->steps = steps;
    self->code = code;
    return &self->task;
}

static void silent_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *silent(thread_pool *pool, struct tally *tally, intptr_t value)
{
    struct job *self = job_create(pool, "silent", tally, silent_body);

    self->value = value;
    return &self->task;
}

static void parent_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    trace("%s-awaits", self->name);
    CO_AWAIT(self, self->value, task_await(task_take(&self->child)));
    trace("%s-got-%ld", self->name, (long)self->value);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *parent(thread_pool *pool, const char *name, struct tally *tally, task *child)
{
    struct job *self = job_create(pool, name, tally, parent_body);

    self->child = child;
    return &self->task;
}

static void joining_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    trace("%s-joins", self->name);
    CO_AWAIT(self, self->value, thread_pool_join(task_take(&self->child)));
    trace("%s-got-%ld", self->name, (long)self->value);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *joiner(thread_pool *pool, const char *name, struct tally *tally, task *child)
{
    struct job *self = job_create(pool, name, tally, joining_body);

    self->child = child;
    return &self->task;
}

static void catching_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    trace("%s-joins", self->name);
    CO_TRY_AWAIT(self, self->value, self->error, thread_pool_join(task_take(&self->child)));
    trace("%s-caught-%d", self->name, self->error.code);
    CO_RETURN(self, self->error.code);
    CO_END(self);
}

task *catcher(thread_pool *pool, const char *name, struct tally *tally, task *child)
{
    struct job *self = job_create(pool, name, tally, catching_body);

    self->child = child;
    return &self->task;
}

static void blocking_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    door_pass(self->door);
    CO_END(self);
}

task *blocker(thread_pool *pool, struct door *door)
{
    struct job *self = job_create(pool, "blocker", NULL, blocking_body);

    self->door = door;
    return &self->task;
}

static void waiting_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    trace("%s-waits", self->name);
    CO_AWAIT(self, self->value, bell_wait(self->bell));
    trace("%s-got-%ld", self->name, (long)self->value);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *waiter(thread_pool *pool, const char *name, struct tally *tally, struct bell *bell)
{
    struct job *self = job_create(pool, name, tally, waiting_body);

    self->bell = bell;
    return &self->task;
}

static void sleeping_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, thread_pool_sleep_for(self->pool, self->duration));
    trace("%s", self->name);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *sleeper(thread_pool *pool, const char *name, struct tally *tally, int64_t duration,
              intptr_t value)
{
    struct job *self = job_create(pool, name, tally, sleeping_body);

    self->duration = duration;
    self->value = value;
    return &self->task;
}

/* ---- Pools ----------------------------------------------------------------------------------- */

thread_pool *new_pool(size_t workers)
{
    thread_pool *pool = thread_pool_create(workers);

    expect_true("thread_pool_create gives a pool", pool != NULL);
    return pool;
}

void schedule(thread_pool *pool, task *t)
{
    expect_int("thread_pool_schedule(pool, t)", thread_pool_schedule(pool, t), 0);
}

void start(thread_pool *pool, task *t)
{
    expect_int("thread_pool_start(pool, t)", thread_pool_start(pool, t), 0);
}

void destroy_pool(thread_pool *pool)
{
    expect_int("thread_pool_destroy(pool)", thread_pool_destroy(pool), 0);
}

void expect_result(thread_pool *pool, task *t, intptr_t value)
{
    intptr_t actual = 0;

    expect_int("thread_pool_block_on(pool, t, &value)", thread_pool_block_on(pool, t, &actual), 0);
    expect_int("value", actual, value);
}

void hold(thread_pool *pool, struct door *door)
{
    schedule(pool, blocker(pool, door));
    door_await(door, 1);
}
