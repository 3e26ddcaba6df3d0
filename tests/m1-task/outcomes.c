/* outcomes.c - what a parent gets of its child: value or error, once; then the child is gone. */
#include "actors.h"
#include "lab_test.h"
#include "recorder.h"

LAB_TEST(await_rethrows)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    unsigned long lost = task_lost_errors();
    task *p = parent("p", &p_tally, thrower("c", &c_tally, 0, 7));
    const co_error *error;

    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("run a parent whose child throws 7");
    (void)recorder_run(&recorder);
    expect_trace("p-awaits c-end");
    expect_true("the parent is done", task_done(p));
    error = task_error(p);
    expect_true("the parent has an error", error != NULL);
    expect_int("its code", error->code, 7);
    expect_string("its text", error->what, "thrown by a test");
    expect_int("its line: that of the throw", error->line, thrower_line());
    expect_int("times the child was released", c_tally.released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("errors reported as lost", (intptr_t)(task_lost_errors() - lost), 0);
}

LAB_TEST(await_catches)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    unsigned long lost = task_lost_errors();
    task *c = thrower("c", &c_tally, 0, 7);
    task *p = catcher("p", &p_tally, c);

    recorder_init(&recorder);
    step("run a parent that catches what its child throws");
    recorder_start(&recorder, p);
    (void)recorder_run(&recorder);
    expect_trace("p-awaits c-end p-caught-7");
    expect_int("task_get(p, NULL)", task_get(p, NULL), 0);
    expect_int("times the child was released", c_tally.released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    step("the same with a child that has thrown before it is awaited");
    trace_clear();
    c = thrower("c", &c_tally, 0, 8);
    expect_int("task_resume(c)", task_resume(c), 0);
    p = catcher("p", &p_tally, c);
    recorder_start(&recorder, p);
    (void)recorder_run(&recorder);
    expect_trace("c-end p-awaits p-caught-8");
    expect_int("task_destroy(p)", task_destroy(p), 0);
    step("a child that returns a negative number has not thrown");
    trace_clear();
    p = catcher("p", &p_tally, stepper("c", &c_tally, 0, -7));
    recorder_start(&recorder, p);
    (void)recorder_run(&recorder);
    expect_trace("p-awaits c-end p-caught-0");
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("errors reported as lost", (intptr_t)(task_lost_errors() - lost), 0);
}

static void observing_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, task_await(task_take(&self->child)));
    trace("got-%ld", (long)self->value);
    CO_AWAIT(self, self->task.ignored, co_suspend_always());
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(await_consumes_the_child)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    struct actor *self = actor_create("p", &p_tally, observing_body);

    recorder_init(&recorder);
    self->child = stepper("c", &c_tally, 0, 42);
    recorder_start(&recorder, &self->task);
    step("let the child end");
    (void)recorder_resume(&recorder);
    (void)recorder_resume(&recorder);
    expect_trace("c-end");
    expect_int("times the child was released: nobody has its result yet", c_tally.released, 0);
    step("let the parent take the result and be suspended elsewhere");
    (void)recorder_resume(&recorder);
    expect_trace("c-end got-42");
    expect_int("times the child was released", c_tally.released, 1);
    expect_int("live blocks: the parent", (intptr_t)live_blocks(), 1);
    step("destroy the parent");
    expect_int("task_destroy(p)", task_destroy(&self->task), 0);
    expect_int("times the child was released", c_tally.released, 1);
    expect_int("times the parent was released", p_tally.released, 1);
}
