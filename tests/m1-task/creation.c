/* creation.c - a task is lazy, and starts from nothing. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>
#include <string.h>

LAB_TEST(create_runs_nothing)
{
    struct tally tally;
    task *t;

    step("create a task whose body writes to the trace");
    t = stepper("a", &tally, 0, 1);
    expect_trace("");
    expect_int("times its body was entered", tally.resumed, 0);
    expect_true("it is not done", !task_done(t));
    step("resume it");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_trace("a-end");
    expect_int("times its body was entered", tally.resumed, 1);
    expect_true("it is done", task_done(t));
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

struct sum {
    task task;
    int a, b;
    char text[32];
};

static void sum_body(co_handle frame)
{
    struct sum *self = (struct sum *)frame;

    CO_BEGIN(self);
    trace("%d+%d %s", self->a, self->b, self->text);
    CO_RETURN(self, self->a + self->b);
    CO_END(self);
}

/* As a student's constructor: the arguments are in the frame before task_init. */
static task *sum_create(int a, int b, const char *text)
{
    struct sum *self = malloc(sizeof *self);

    expect_true("there is memory", self != NULL);
    self->a = a;
    self->b = b;
    (void)snprintf(self->text, sizeof self->text, "%s", text);
    step("task_init in a frame whose other members are set");
    expect_true("task_init returns its task",
                task_init(&self->task, "sum", sum_body, NULL) == &self->task);
    return &self->task;
}

/* What a caller's locals leave behind. */
static __attribute__((noinline)) void overwrite_stack(void)
{
    volatile char rubbish[16384];

    memset((char *)rubbish, 0xAA, sizeof rubbish);
}

LAB_TEST(create_keeps_the_frame)
{
    task *t = sum_create(40, 2, "kept");
    intptr_t value = 0;

    overwrite_stack();
    expect_true("its name is kept", t->name != NULL && strcmp(t->name, "sum") == 0);
    step("resume it and read the result");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_trace("40+2 kept");
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

static void throwing_body(co_handle frame)
{
    struct sum *self = (struct sum *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, co_suspend_always());
    CO_THROW(self, 7, "thrown by a test");
    CO_END(self);
}

static void keep_frame(co_handle frame)
{
    (void)frame; /* it is a variable of the test */
}

/* The frame must look like new whatever was in its memory. */
static void expect_fresh(struct sum *frame)
{
    intptr_t value = 0;

    frame->a = 3;
    frame->b = 4;
    (void)snprintf(frame->text, sizeof frame->text, "fresh");
    (void)task_init(&frame->task, "fresh", sum_body, keep_frame);
    trace_clear();
    expect_true("it is not done", !task_done(&frame->task));
    expect_int("task_get before the end", task_get(&frame->task, &value), -EAGAIN);
    expect_true("it has no error", task_error(&frame->task) == NULL);
    expect_int("task_resume(t)", task_resume(&frame->task), 0);
    expect_trace("3+4 fresh");
    expect_int("task_get(t, &value)", task_get(&frame->task, &value), 0);
    expect_int("value", value, 7);
    expect_int("task_destroy(t)", task_destroy(&frame->task), 0);
}

LAB_TEST(create_on_used_memory)
{
    struct sum frame;
    unsigned long lost;

    step("make a task in memory full of 0xA5");
    memset(&frame, 0xA5, sizeof frame);
    expect_fresh(&frame);
    step("let a task in the same memory throw, take its error, and destroy it");
    (void)task_init(&frame.task, "throws", throwing_body, keep_frame);
    expect_int("task_resume(t)", task_resume(&frame.task), 0);
    expect_int("task_resume(t)", task_resume(&frame.task), 0);
    expect_int("task_get(t, NULL)", task_get(&frame.task, NULL), 7);
    expect_int("task_destroy(t)", task_destroy(&frame.task), 0);
    step("another one that throws, and nobody takes its error");
    lost = task_lost_errors();
    (void)task_init(&frame.task, "throws", throwing_body, keep_frame);
    expect_int("task_resume(t)", task_resume(&frame.task), 0);
    expect_int("task_resume(t)", task_resume(&frame.task), 0);
    expect_int("task_destroy(t)", task_destroy(&frame.task), 0);
    expect_int("errors reported as lost", (intptr_t)(task_lost_errors() - lost), 1);
    expect_fresh(&frame);
    step("destroy a suspended task, and make another one in its memory");
    (void)task_init(&frame.task, "suspends", throwing_body, keep_frame);
    expect_int("task_resume(t)", task_resume(&frame.task), 0);
    expect_int("task_destroy(t)", task_destroy(&frame.task), 0);
    expect_fresh(&frame);
}
