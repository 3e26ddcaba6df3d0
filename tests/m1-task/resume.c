/* resume.c - running a task by hand, to its next suspension or its end. */
#include "actors.h"
#include "lab_test.h"
#include "recorder.h"

#include <errno.h>
#include <string.h>

LAB_TEST(value_after_one_resume)
{
    struct tally tally;
    task *t = stepper("a", &tally, 0, 42);
    intptr_t value = 0;

    step("resume a task that returns 42");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("it is done", task_done(t));
    step("read its result");
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    step("the same with values that look like errors, or need every bit");
    t = stepper("b", &tally, 0, -ENOMEM);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, -ENOMEM);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    t = stepper("c", &tally, 0, INTPTR_MIN);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, INTPTR_MIN);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

static void empty_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    trace("ran");
    CO_END(self);
}

LAB_TEST(no_value)
{
    struct tally tally;
    task *t = &actor_create("empty", &tally, empty_body)->task;
    intptr_t value = 1;

    step("resume a task whose body has no CO_RETURN");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_trace("ran");
    expect_true("it is done", task_done(t));
    step("get, without a place for a value, and with one");
    expect_int("task_get(t, NULL)", task_get(t, NULL), 0);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

LAB_TEST(goes_on_where_it_stopped)
{
    struct tally a_tally;
    struct tally b_tally;
    task *a = stepper("a", &a_tally, 2, 1);
    task *b = stepper("b", &b_tally, 1, 2);

    step("resume two tasks in turn");
    expect_int("task_resume(a)", task_resume(a), 0);
    expect_trace("a0");
    expect_int("task_resume(b)", task_resume(b), 0);
    expect_trace("a0 b0");
    expect_int("task_resume(a)", task_resume(a), 0);
    expect_trace("a0 b0 a1");
    expect_true("neither is done", !task_done(a) && !task_done(b));
    expect_int("task_resume(b)", task_resume(b), 0);
    expect_true("only b is done", !task_done(a) && task_done(b));
    expect_int("task_resume(a)", task_resume(a), 0);
    expect_trace("a0 b0 a1 b-end a-end");
    expect_true("both are done", task_done(a) && task_done(b));
    expect_int("times the body of a was entered", a_tally.resumed, 3);
    expect_int("task_destroy(a)", task_destroy(a), 0);
    expect_int("task_destroy(b)", task_destroy(b), 0);
}

struct counter {
    task task;
    int i;
    intptr_t sum;
    intptr_t *where; /* points into the frame */
};

static void counting_body(co_handle frame)
{
    struct counter *self = (struct counter *)frame;

    CO_BEGIN(self);
    self->sum = 0;
    self->where = &self->sum;
    for (self->i = 1; self->i <= 1000; self->i++) {
        if (self->i % 2 == 0) {
            CO_AWAIT(self, self->task.ignored, co_suspend_always());
        } else {
            CO_AWAIT(self, self->task.ignored, co_suspend_always());
        }
        *self->where += self->i;
    }
    CO_RETURN(self, self->sum);
    CO_END(self);
}

static __attribute__((noinline)) void overwrite_stack(void)
{
    volatile char rubbish[16384];

    memset((char *)rubbish, 0xAA, sizeof rubbish);
}

LAB_TEST(frame_survives_suspension)
{
    struct counter *self = malloc(sizeof *self);
    task *t;
    intptr_t value = 0;
    int i;

    expect_true("there is memory", self != NULL);
    t = task_init(&self->task, "counter", counting_body, NULL);
    step("resume 1,001 times a task that adds up 1 to 1,000; overwrite the stack in between");
    for (i = 0; i <= 1000; i++) {
        expect_true("it is not done yet", !task_done(t));
        expect_int("task_resume(t)", task_resume(t), 0);
        overwrite_stack();
    }
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("the sum", value, 500500);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

static void expect_refused_three_times(task *t, const struct tally *tally, unsigned resumed)
{
    int i;

    for (i = 0; i < 3; i++) {
        expect_int("task_resume(t)", task_resume(t), -EINVAL);
        expect_int("times its body was entered", tally->resumed, resumed);
        expect_true("it is done", task_done(t));
    }
}

LAB_TEST(resume_after_done)
{
    struct tally tally;
    task *t = stepper("a", &tally, 1, 42);
    intptr_t value = 0;

    step("resume a task to its end, which is 42");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_resume(t)", task_resume(t), 0);
    step("resume it three times more");
    expect_refused_three_times(t, &tally, 2);
    expect_trace("a0 a-end");
    step("its result is still there");
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

LAB_TEST(resume_after_failure)
{
    struct tally tally;
    task *t = thrower("a", &tally, 1, 7);

    step("resume a task until it throws 7");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("it is not done yet", !task_done(t));
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("it is done", task_done(t));
    step("resume it three times more");
    expect_refused_three_times(t, &tally, 2);
    expect_int("task_get(t, NULL)", task_get(t, NULL), 7);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

static void self_resuming_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    self->tally->resumed++;
    CO_BEGIN(self);
    trace("1");
    self->i = task_resume(&self->task);
    trace("2");
    CO_AWAIT(self, self->task.ignored, co_suspend_always());
    self->steps = task_resume(&self->task);
    trace("3");
    CO_RETURN(self, 5);
    CO_END(self);
}

LAB_TEST(resume_while_running)
{
    struct tally tally;
    struct actor *self = actor_create("self", &tally, self_resuming_body);
    task *t = &self->task;

    step("resume a task whose body resumes itself");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_resume from inside the body", self->i, -EBUSY);
    expect_trace("1 2");
    expect_int("times its body was entered", tally.resumed, 1);
    step("once more, after it was suspended");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_resume from inside the body", self->steps, -EBUSY);
    expect_trace("1 2 3");
    expect_int("times its body was entered", tally.resumed, 2);
    expect_int("task_get(t, NULL)", task_get(t, NULL), 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

LAB_TEST(resume_of_an_executors_task)
{
    struct recorder recorder;
    struct tally tally;
    task *t = stepper("a", &tally, 1, 1);

    recorder_init(&recorder);
    step("give a task to an executor, and resume it by hand");
    recorder_start(&recorder, t);
    expect_int("task_resume(t)", task_resume(t), -EBUSY);
    expect_trace("");
    step("let the executor resume it, and resume it by hand where it is suspended");
    (void)recorder_resume(&recorder);
    expect_trace("a0");
    expect_int("task_resume(t)", task_resume(t), -EBUSY);
    expect_trace("a0");
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

LAB_TEST(null_arguments)
{
    intptr_t value = 5;

    expect_int("task_resume(NULL)", task_resume(NULL), -EINVAL);
    expect_int("task_get(NULL, &value)", task_get(NULL, &value), -EINVAL);
    expect_int("value", value, 5);
    expect_true("task_error(NULL) is NULL", task_error(NULL) == NULL);
    expect_int("task_destroy(NULL)", task_destroy(NULL), 0);
}
