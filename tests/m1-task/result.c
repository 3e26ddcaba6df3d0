/* result.c - the value or the error with which a task ended. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>
#include <string.h>

LAB_TEST(get_before_the_end)
{
    struct tally tally;
    task *t = stepper("a", &tally, 1, 42);
    intptr_t value = 0x5A5A;

    step("get from a task that has not begun");
    expect_int("task_get(t, &value)", task_get(t, &value), -EAGAIN);
    expect_int("value", value, 0x5A5A);
    expect_int("task_get(t, NULL)", task_get(t, NULL), -EAGAIN);
    expect_trace("");
    step("get from a task that is suspended");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_get(t, &value)", task_get(t, &value), -EAGAIN);
    expect_int("value", value, 0x5A5A);
    expect_trace("a0");
    expect_int("times its body was entered", tally.resumed, 1);
    step("get from a task that has ended");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

LAB_TEST(get_again)
{
    struct tally tally;
    task *t = stepper("a", &tally, 0, 42);
    intptr_t value;
    int i;

    step("get the value three times");
    expect_int("task_resume(t)", task_resume(t), 0);
    for (i = 0; i < 3; i++) {
        value = 0;
        expect_int("task_get(t, &value)", task_get(t, &value), 0);
        expect_int("value", value, 42);
    }
    expect_int("times it was released", tally.released, 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    step("get an error three times");
    t = thrower("b", &tally, 0, 7);
    expect_int("task_resume(t)", task_resume(t), 0);
    for (i = 0; i < 3; i++) {
        expect_int("task_get(t, NULL)", task_get(t, NULL), 7);
    }
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

LAB_TEST(error_comes_out_at_get)
{
    struct tally tally;
    task *t = thrower("a", &tally, 0, 42);
    intptr_t value = 0x5A5A;

    step("resume a task that throws 42");
    expect_int("task_resume(t)", task_resume(t), 0);
    step("get its result");
    expect_int("task_get(t, &value)", task_get(t, &value), 42);
    expect_int("value, which must stay as it was", value, 0x5A5A);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    step("the same with a negative errno");
    t = thrower("b", &tally, 1, -ECONNRESET);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_get(t, &value)", task_get(t, &value), -ECONNRESET);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

LAB_TEST(error_has_text_and_line)
{
    struct tally tally;
    task *t = thrower("a", &tally, 0, 42);
    const co_error *error;

    step("resume a task that throws");
    expect_int("task_resume(t)", task_resume(t), 0);
    step("look at its error");
    error = task_error(t);
    expect_true("task_error(t) is not NULL", error != NULL);
    expect_int("its code", error->code, 42);
    expect_string("its text", error->what, "thrown by a test");
    expect_true("its file is that of the throw",
                error->file != NULL && strstr(error->file, "actors.c") != NULL);
    expect_int("its line", error->line, thrower_line());
    expect_true("a second look gives the same", task_error(t) == error);
    expect_int("task_get(t, NULL)", task_get(t, NULL), 42);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

static void zero_throwing_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    CO_THROW(self, 0, "no code");
    CO_END(self);
}

LAB_TEST(error_without_code)
{
    struct tally tally;
    task *t = &actor_create("zero", &tally, zero_throwing_body)->task;
    const co_error *error;

    step("resume a task that throws code 0");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("it is done", task_done(t));
    expect_int("task_get(t, NULL)", task_get(t, NULL), -EINVAL);
    error = task_error(t);
    expect_true("task_error(t) is not NULL", error != NULL);
    expect_int("its code", error->code, -EINVAL);
    expect_string("its text", error->what, "no code");
    expect_int("task_destroy(t)", task_destroy(t), 0);
}

LAB_TEST(no_error_no_text)
{
    struct tally tally;
    task *t = stepper("a", &tally, 1, -7);

    step("look for an error before the task begins, while it is suspended, and when it has "
         "returned");
    expect_true("task_error(t) is NULL", task_error(t) == NULL);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("task_error(t) is NULL", task_error(t) == NULL);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("task_error(t) is NULL", task_error(t) == NULL);
    expect_int("task_get(t, NULL)", task_get(t, NULL), 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
}
