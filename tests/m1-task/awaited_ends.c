/* awaited_ends.c - parent and child in the order in which they are destroyed. */
#include "actors.h"
#include "lab_test.h"
#include "recorder.h"

#include <errno.h>

LAB_TEST(destroy_parent_of_waiting_child)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    struct tally g_tally;
    task *g = stepper("g", &g_tally, 1, 42);
    task *c = parent("c", &c_tally, g);
    task *p = parent("p", &p_tally, c);

    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("p awaits c, c awaits g, g is suspended");
    (void)recorder_run(&recorder);
    expect_trace("p-awaits c-awaits g0");
    step("destroy p");
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("times p was released", p_tally.released, 1);
    expect_int("times c was released", c_tally.released, 1);
    expect_int("times g was released", g_tally.released, 1);
    expect_int("times unschedule was called: once for each", recorder.unscheduled, 3);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
    step("the same, with a child that is ready and has not begun");
    trace_clear();
    p = parent("p", &p_tally, stepper("c", &c_tally, 0, 42));
    recorder_start(&recorder, p);
    (void)recorder_resume(&recorder);
    expect_int("coroutines that are ready: the child", (intptr_t)recorder.count, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("coroutines that are ready", (intptr_t)recorder.count, 0);
    expect_trace("p-awaits");
    expect_int("times c was released", c_tally.released, 1);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(destroy_parent_of_ended_child)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    unsigned long lost;
    task *p = parent("p", &p_tally, stepper("c", &c_tally, 0, 42));

    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("let the child end: the parent is ready, and has not been resumed");
    (void)recorder_resume(&recorder);
    (void)recorder_resume(&recorder);
    expect_trace("p-awaits c-end");
    step("destroy the parent");
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("times p was released", p_tally.released, 1);
    expect_int("times c was released", c_tally.released, 1);
    expect_int("coroutines that are ready", (intptr_t)recorder.count, 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
    step("the same with a child that throws: its error is lost, and that is reported");
    lost = task_lost_errors();
    p = parent("p", &p_tally, thrower("c", &c_tally, 0, 7));
    recorder_start(&recorder, p);
    (void)recorder_resume(&recorder);
    (void)recorder_resume(&recorder);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("times c was released", c_tally.released, 1);
    expect_int("errors reported as lost", (intptr_t)(task_lost_errors() - lost), 1);
}

LAB_TEST(destroy_awaited_child)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    task *c = stepper("c", &c_tally, 0, 42);
    task *p = parent("p", &p_tally, c);
    intptr_t value = 0;

    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("p awaits c; destroy c");
    (void)recorder_resume(&recorder);
    expect_int("task_destroy(c)", task_destroy(c), -EBUSY);
    expect_int("times c was released", c_tally.released, 0);
    step("let c end; p has not taken its result yet; destroy c");
    (void)recorder_resume(&recorder);
    expect_trace("p-awaits c-end");
    expect_int("task_destroy(c)", task_destroy(c), -EBUSY);
    expect_int("times c was released", c_tally.released, 0);
    step("let p run to its end");
    (void)recorder_run(&recorder);
    expect_trace("p-awaits c-end p-got-42");
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}

/* Destroys the task in `child`, which is not its child but the one that awaits it. */
static void destroying_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    self->i = task_destroy(self->child);
    trace("%s-tried-%d", self->name, self->i == -EBUSY);
    CO_RETURN(self, 42);
    CO_END(self);
}

LAB_TEST(destroy_parent_from_its_child)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    struct tally g_tally;
    struct actor *g = actor_create("g", &g_tally, destroying_body);
    task *p = parent("p", &p_tally, parent("c", &c_tally, &g->task));

    g->child = p;
    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("p awaits c, c awaits g, and g, while it runs, destroys p");
    (void)recorder_run(&recorder);
    expect_trace("p-awaits c-awaits g-tried-1 c-got-42 p-got-42");
    expect_int("times p was released", p_tally.released, 0);
    expect_int("times g was released", g_tally.released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}
