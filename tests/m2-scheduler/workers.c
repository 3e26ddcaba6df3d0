/* workers.c - see workers.h. */
#include "workers.h"
#include "lab_test.h"

#include <string.h>

/* Filled before it is freed, so that whoever still reads it gets nonsense even without a sanitizer. */
static void release_worker(co_handle frame)
{
    struct worker *self = (struct worker *)frame;

    if (self->tally != NULL) {
        self->tally->released++;
    }
    memset(self, 0xA5, sizeof *self);
    free(self);
}

struct worker *worker_create(scheduler *s, const char *name, void (*body)(co_handle))
{
    struct worker *self = calloc(1, sizeof *self);

    if (self != NULL) {
        self->scheduler = s;
        self->name = name;
        (void)task_init(&self->task, name, body, release_worker);
    }
    return self;
}

struct worker *worker_counted(scheduler *s, const char *name, struct tally *tally,
                              void (*body)(co_handle))
{
    struct worker *self = worker_create(s, name, body);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    self->tally = tally;
    return self;
}

struct worker *worker_enter(co_handle frame)
{
    struct worker *self = (struct worker *)frame;

    if (self->tally != NULL) {
        self->tally->resumed++;
    }
    return self;
}

static void yielding_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    for (self->i = 0; self->i < self->steps; self->i++) {
        trace("%s-%d", self->name, self->i);
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    trace("%s-%d", self->name, self->steps);
    if (self->code != 0) {
        CO_THROW(self, self->code, "thrown by a test");
    }
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *yielder(scheduler *s, const char *name, struct tally *tally, int steps, intptr_t value)
{
    struct worker *self = worker_counted(s, name, tally, yielding_body);

    self->steps = steps;
    self->value = value;
    return &self->task;
}

task *thrower(scheduler *s, const char *name, struct tally *tally, int steps, int code)
{
    struct worker *self = worker_counted(s, name, tally, yielding_body);

    self->steps = steps;
    self->code = code;
    return &self->task;
}

static void parent_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("%s-awaits", self->name);
    CO_AWAIT(self, self->value, task_await(self->child));
    trace("%s-got-%ld", self->name, (long)self->value);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *parent(scheduler *s, const char *name, struct tally *tally, task *child)
{
    struct worker *self = worker_counted(s, name, tally, parent_body);

    self->child = child;
    return &self->task;
}

static void catcher_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("%s-awaits", self->name);
    CO_TRY_AWAIT(self, self->value, self->error, task_await(self->child));
    trace("%s-caught-%d", self->name, self->error.code);
    CO_RETURN(self, self->error.code);
    CO_END(self);
}

task *catcher(scheduler *s, const char *name, struct tally *tally, task *child)
{
    struct worker *self = worker_counted(s, name, tally, catcher_body);

    self->child = child;
    return &self->task;
}

static void gate_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("%s-waits", self->name);
    CO_AWAIT(self, self->value, gate_wait(self->gate));
    trace("%s-got-%ld", self->name, (long)self->value);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *gate_waiter(scheduler *s, const char *name, struct tally *tally, struct gate *gate)
{
    struct worker *self = worker_counted(s, name, tally, gate_body);

    self->gate = gate;
    return &self->task;
}

scheduler *new_scheduler(scheduler_policy policy)
{
    scheduler *s = scheduler_create(policy);

    expect_true("scheduler_create gives a scheduler", s != NULL);
    return s;
}

void spawn(scheduler *s, task *t)
{
    expect_int("scheduler_spawn(s, t)", scheduler_spawn(s, t), 0);
}

void start(scheduler *s, task *t)
{
    expect_int("scheduler_start(s, t)", scheduler_start(s, t), 0);
}

void run_to_end(scheduler *s)
{
    expect_int("scheduler_run(s)", scheduler_run(s), 0);
    expect_true("no work is left", !scheduler_has_work(s));
}

void destroy_scheduler(scheduler *s)
{
    expect_int("scheduler_destroy(s)", scheduler_destroy(s), 0);
}
