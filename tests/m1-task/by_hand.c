/* by_hand.c - a child that was begun by hand, and is awaited by a task that an executor runs. */
#include "actors.h"
#include "lab_test.h"
#include "recorder.h"

#include <errno.h>

static struct recorder recorder;

/* While it runs, it lets the executor resume the one that is ready. */
static void hosting_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    trace("%s-runs", self->name);
    (void)recorder_resume(&recorder);
    CO_RETURN(self, 42);
    CO_END(self);
}

/* q, which awaits `child`, is ready. */
static task *start_catcher(struct tally *tally, task *child)
{
    task *q = catcher("q", tally, child);

    recorder_start(&recorder, q);
    return q;
}

static void expect_busy(task *q)
{
    intptr_t value = 0;

    expect_true("q did not suspend, but ended", task_done(q));
    expect_int("task_get(q, &value)", task_get(q, &value), 0);
    expect_int("what q's await threw", value, -EBUSY);
    expect_int("coroutines that are ready", (intptr_t)recorder.count, 0);
    expect_int("task_destroy(q)", task_destroy(q), 0);
}

LAB_TEST(await_begun_by_hand)
{
    struct gate gate = {0};
    struct tally tally;
    struct tally c_tally;
    task *c = stepper("c", &c_tally, 1, 42);
    task *q;

    recorder_init(&recorder);
    step("resume a child by hand; it suspends itself, and then q awaits it: it is made ready");
    expect_int("task_resume(c)", task_resume(c), 0);
    q = start_catcher(&tally, c);
    (void)recorder_run(&recorder);
    expect_trace("c0 q-awaits c-end q-caught-0");
    expect_int("task_destroy(q)", task_destroy(q), 0);
    step("resume a child by hand; it waits at a gate, and then q awaits it");
    c = gate_waiter("c", &c_tally, &gate);
    expect_int("task_resume(c)", task_resume(c), 0);
    q = start_catcher(&tally, c);
    (void)recorder_resume(&recorder);
    expect_busy(q);
    expect_true("the child still waits", gate.waiting != NULL && gate.cancelled == 0);
    step("open the gate, and let q await the child now");
    trace_clear();
    gate_open(&gate, 42);
    q = start_catcher(&tally, c);
    (void)recorder_run(&recorder);
    expect_trace("q-awaits c-end q-caught-0");
    expect_int("task_destroy(q)", task_destroy(q), 0);
    step("resume a child by hand; while it runs, q awaits it");
    trace_clear();
    c = &actor_create("c", &c_tally, hosting_body)->task;
    q = start_catcher(&tally, c);
    expect_int("task_resume(c)", task_resume(c), 0);
    expect_busy(q);
    expect_true("the child is done", task_done(c));
    expect_int("times the child was released", c_tally.released, 0);
    expect_int("task_destroy(c)", task_destroy(c), 0);
}
