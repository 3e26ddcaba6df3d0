/* c_side.c - see c_side.h. */
#include "c_side.h"

#include <string.h>

struct c_side {
    task task; /* first: the frame */
    task *child;
    co_error *seen;
    intptr_t value;
    scheduler *scheduler;
    char name, *log;
    int printed;
};

static task *create(const struct c_side *initial, const char *name, void (*body)(co_handle))
{
    struct c_side *self = malloc(sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    *self = *initial;
    return task_init(&self->task, name, body, NULL);
}

static void adder_body(co_handle frame)
{
    struct c_side *self = (struct c_side *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, task_await(task_take(&self->child)));
    CO_RETURN(self, self->value + 1);
    CO_END(self);
}

task *c_adder(task *child)
{
    return create(&(struct c_side){.child = child}, "c_adder", adder_body);
}

static void catcher_body(co_handle frame)
{
    struct c_side *self = (struct c_side *)frame;

    CO_BEGIN(self);
    CO_TRY_AWAIT(self, self->value, *self->seen, task_await(task_take(&self->child)));
    CO_END(self);
}

task *c_catcher(task *child, co_error *seen)
{
    return create(&(struct c_side){.child = child, .seen = seen}, "c_catcher", catcher_body);
}

const int c_thrower_line = __LINE__ + 7;

static void thrower_body(co_handle frame)
{
    struct c_side *self = (struct c_side *)frame;

    CO_BEGIN(self);
    CO_THROW(self, -42, "thrown in C");
    CO_END(self);
}

task *c_thrower(void)
{
    return create(&(struct c_side){.child = NULL}, "c_thrower", thrower_body);
}

static void printer_body(co_handle frame)
{
    struct c_side *self = (struct c_side *)frame;

    CO_BEGIN(self);
    for (self->printed = 0; self->printed < 3; self->printed++) {
        (void)strncat(self->log, &self->name, 1);
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    CO_END(self);
}

task *c_printer(scheduler *s, char name, char *log)
{
    return create(&(struct c_side){.scheduler = s, .name = name, .log = log}, "c_printer",
                  printer_body);
}

void c_resume(co_handle frame)
{
    frame->resume(frame);
}

void c_destroy(co_handle frame)
{
    frame->destroy(frame);
}
