/* actors.c - see actors.h. */
#include "actors.h"
#include "lab_test.h"

#include <string.h>

static int throw_line;

/* Counts and frees; the frame is filled first, so that whoever still reads it gets nonsense even
 * without a sanitizer. */
static void release_actor(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    self->tally->released++;
    memset(self, 0xA5, sizeof *self);
    free(self);
}

static void count_resumption(struct actor *self)
{
    self->tally->resumed++;
}

struct actor *actor_create(const char *name, struct tally *tally, void (*body)(co_handle))
{
    struct actor *self = calloc(1, sizeof *self);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    self->name = name;
    self->tally = tally;
    *tally = (struct tally){0, 0};
    (void)task_init(&self->task, name, body, release_actor);
    return self;
}

static void stepping_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    count_resumption(self);
    CO_BEGIN(self);
    for (self->i = 0; self->i < self->steps; self->i++) {
        trace("%s%d", self->name, self->i);
        CO_AWAIT(self, self->task.ignored, co_suspend_always());
    }
    trace("%s-end", self->name);
    if (self->code != 0) {
        throw_line = __LINE__ + 1;
        CO_THROW(self, self->code, "thrown by a test");
    }
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *stepper(const char *name, struct tally *tally, int steps, intptr_t value)
{
    struct actor *self = actor_create(name, tally, stepping_body);

    self->steps = steps;
    self->value = value;
    return &self->task;
}

task *thrower(const char *name, struct tally *tally, int steps, int code)
{
    struct actor *self = actor_create(name, tally, stepping_body);

    self->steps = steps;
    self->code = code;
    return &self->task;
}

int thrower_line(void)
{
    return throw_line;
}

static void parent_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    count_resumption(self);
    CO_BEGIN(self);
    trace("%s-awaits", self->name);
    CO_AWAIT(self, self->value, task_await(self->child));
    trace("%s-got-%ld", self->name, (long)self->value);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *parent(const char *name, struct tally *tally, task *child)
{
    struct actor *self = actor_create(name, tally, parent_body);

    self->child = child;
    return &self->task;
}

static void catcher_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    count_resumption(self);
    CO_BEGIN(self);
    trace("%s-awaits", self->name);
    CO_TRY_AWAIT(self, self->value, self->error, task_await(self->child));
    trace("%s-caught-%d", self->name, self->error.code);
    CO_RETURN(self, self->error.code);
    CO_END(self);
}

task *catcher(const char *name, struct tally *tally, task *child)
{
    struct actor *self = actor_create(name, tally, catcher_body);

    self->child = child;
    return &self->task;
}

static void gate_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    count_resumption(self);
    CO_BEGIN(self);
    trace("%s-waits", self->name);
    CO_AWAIT(self, self->value, gate_wait(self->gate));
    trace("%s-end", self->name);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *gate_waiter(const char *name, struct tally *tally, struct gate *gate)
{
    struct actor *self = actor_create(name, tally, gate_body);

    self->gate = gate;
    return &self->task;
}
