/* refusals.c - what cannot be awaited: the await throws, and the child stays whose it is. */
#include "actors.h"
#include "lab_test.h"
#include "recorder.h"

#include <errno.h>

static void self_awaiting_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    self->tally->resumed++;
    CO_BEGIN(self);
    CO_TRY_AWAIT(self, self->value, self->error, task_await(&self->task));
    trace("caught-%d", self->error.code == -EDEADLK);
    CO_RETURN(self, self->error.code);
    CO_END(self);
}

LAB_TEST(await_itself)
{
    struct recorder recorder;
    struct tally tally;
    task *t = &actor_create("self", &tally, self_awaiting_body)->task;
    intptr_t value = 0;

    recorder_init(&recorder);
    recorder_start(&recorder, t);
    step("resume a task that awaits itself");
    (void)recorder_resume(&recorder);
    expect_true("it did not suspend, but ended", task_done(t));
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("what its await threw", value, -EDEADLK);
    expect_int("times it was released", tally.released, 0);
    expect_int("coroutines that are ready", (intptr_t)recorder.count, 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("times it was released", tally.released, 1);
}

/* Ends p, which awaits c, and looks at both. */
static void expect_got_by(struct recorder *recorder, task *p, const struct tally *c_tally)
{
    intptr_t value = 0;

    (void)recorder_run(recorder);
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("what p got", value, 42);
    expect_int("times c was entered", c_tally->resumed, 1);
    expect_int("times c was released", c_tally->released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}

/* Runs q, which awaits a task that somebody awaits already. */
static void expect_refused(struct recorder *recorder, task *q)
{
    intptr_t value = 0;

    while (!task_done(q) && recorder_resume(recorder) != NULL) {
    }
    expect_int("task_get(q, &value)", task_get(q, &value), 0);
    expect_int("what q's await threw", value, -EBUSY);
    expect_int("task_destroy(q)", task_destroy(q), 0);
}

LAB_TEST(await_in_a_circle)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    struct tally g_tally;
    task *g = catcher("g", &g_tally, NULL);
    task *c = parent("c", &c_tally, g);
    task *p = parent("p", &p_tally, c);
    intptr_t value = 0;

    ((struct actor *)g)->child = p;
    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("p awaits c, c awaits g, and g awaits p");
    (void)recorder_run(&recorder);
    expect_true("p is done", task_done(p));
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("what g's await threw", value, -EDEADLK);
    expect_int("times c was released", c_tally.released, 1);
    expect_int("times g was released", g_tally.released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("times p was released", p_tally.released, 1);
}

LAB_TEST(await_twice)
{
    struct recorder recorder;
    struct tally c_tally;
    struct tally p_tally;
    struct tally q_tally;
    task *c = stepper("c", &c_tally, 0, 42);
    task *p = parent("p", &p_tally, c);
    task *q = catcher("q", &q_tally, c);

    recorder_init(&recorder);
    step("p awaits c, then q awaits c, before c has begun");
    recorder_start(&recorder, p);
    recorder_start(&recorder, q);
    (void)recorder_resume(&recorder);
    expect_refused(&recorder, q);
    step("let p and c run to their ends");
    expect_got_by(&recorder, p, &c_tally);
    step("p awaits c, c ends, and before p has taken the result, q awaits c");
    c = stepper("c", &c_tally, 0, 42);
    p = parent("p", &p_tally, c);
    q = catcher("q", &q_tally, c);
    recorder_start(&recorder, p);
    (void)recorder_resume(&recorder);
    recorder_start(&recorder, q);
    (void)recorder_resume(&recorder);
    expect_true("c is done", task_done(c));
    expect_refused(&recorder, q);
    step("let p run to its end");
    expect_got_by(&recorder, p, &c_tally);
    step("q awaits a task that its executor owns");
    c = stepper("c", &c_tally, 0, 42);
    c->owned = true;
    q = catcher("q", &q_tally, c);
    recorder_start(&recorder, q);
    expect_refused(&recorder, q);
    expect_int("times c was released", c_tally.released, 0);
    expect_int("task_destroy(c)", task_destroy(c), 0);
}

LAB_TEST(await_null)
{
    struct recorder recorder;
    struct tally tally;
    task *p = catcher("p", &tally, NULL);
    intptr_t value = 0;

    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("resume a task that awaits NULL and catches what that throws");
    (void)recorder_resume(&recorder);
    expect_true("it did not suspend, but ended", task_done(p));
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("what its await threw", value, -ENOMEM);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    step("the same with one that does not catch");
    p = parent("p", &tally, NULL);
    recorder_start(&recorder, p);
    (void)recorder_resume(&recorder);
    expect_true("it is done", task_done(p));
    expect_int("task_get(p, NULL)", task_get(p, NULL), -ENOMEM);
    expect_true("the error has a text", task_error(p)->what != NULL);
    expect_int("its line: that of the await", task_error(p)->line, p->at.line);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}

/* A task resumed by hand awaits `child`, which has not ended, in vain. */
static void expect_no_executor(task *child, const struct tally *tally)
{
    struct tally p_tally;
    task *p = catcher("p", &p_tally, child);
    intptr_t value = 0;

    expect_int("task_resume(p)", task_resume(p), 0);
    expect_true("it did not suspend, but ended", task_done(p));
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("what its await threw", value, -EINVAL);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("times the child was released", tally->released, 0);
}

LAB_TEST(await_without_executor)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    task *c = stepper("c", &c_tally, 0, 42);
    task *p;
    intptr_t value = 0;

    recorder_init(&recorder);
    step("a task resumed by hand awaits a child that an executor runs");
    recorder_start(&recorder, c);
    expect_no_executor(c, &c_tally);
    step("the child was not consumed: destroy it");
    expect_int("task_destroy(c)", task_destroy(c), 0);
    step("a task resumed by hand awaits a child that is suspended, and is resumed by hand, too");
    c = stepper("c", &c_tally, 1, 42);
    expect_int("task_resume(c)", task_resume(c), 0);
    expect_no_executor(c, &c_tally);
    expect_int("task_destroy(c)", task_destroy(c), 0);
    step("a task resumed by hand awaits a child that has not begun");
    c = stepper("c", &c_tally, 0, 42);
    expect_no_executor(c, &c_tally);
    step("the child was not consumed: resume it by hand, to its end");
    expect_int("task_resume(c)", task_resume(c), 0);
    expect_true("it is done", task_done(c));
    step("a task resumed by hand awaits it now");
    p = parent("p", &p_tally, c);
    expect_int("task_resume(p)", task_resume(p), 0);
    expect_true("it is done", task_done(p));
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("value", value, 42);
    expect_int("times the child was released", c_tally.released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}
