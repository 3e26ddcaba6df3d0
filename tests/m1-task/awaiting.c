/* awaiting.c - a parent awaits its child, on an executor that is a recorder. */
#include "actors.h"
#include "lab_test.h"
#include "recorder.h"

LAB_TEST(await_gives_the_value)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    task *p = parent("p", &p_tally, stepper("c", &c_tally, 0, 42));
    intptr_t value = 0;

    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("resume the parent: it awaits a child that has not begun");
    (void)recorder_resume(&recorder);
    expect_trace("p-awaits");
    expect_int("coroutines that are ready: the child", (intptr_t)recorder.count, 1);
    expect_true("the parent is not ready", !recorder_is_ready(&recorder, p));
    step("let the executor resume whoever is ready");
    (void)recorder_run(&recorder);
    expect_trace("p-awaits c-end p-got-42");
    expect_true("the parent is done", task_done(p));
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(await_does_not_nest)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    task *c = stepper("c", &c_tally, 0, 42);
    task *p = parent("p", &p_tally, c);

    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("resume the parent");
    expect_true("it was the parent", recorder_resume(&recorder) == &p->frame);
    expect_int("times the child was entered", c_tally.resumed, 0);
    step("resume the child, which ends");
    expect_true("it was the child", recorder_resume(&recorder) == &c->frame);
    expect_int("times the child was entered", c_tally.resumed, 1);
    expect_int("times the parent was entered", p_tally.resumed, 1);
    expect_trace("p-awaits c-end");
    expect_true("the parent is ready", recorder_is_ready(&recorder, p));
    step("resume the parent");
    expect_true("it was the parent", recorder_resume(&recorder) == &p->frame);
    expect_trace("p-awaits c-end p-got-42");
    expect_int("times schedule was called", recorder.scheduled, 3);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}

/* An executor that reads the child's result at the moment at which the parent is made ready: one with
 * several threads might resume the parent there and then. */
struct onlooker {
    executor executor; /* first */
    task *parent, *child;
    int result; /* what task_get said, */
    intptr_t value;
};

static void read_result(executor *self, co_handle handle)
{
    struct onlooker *o = (struct onlooker *)self;

    if (handle == &o->parent->frame) {
        o->result = task_get(o->child, &o->value);
    }
}

/* p awaits c, which ends; what the onlooker saw of it then. */
static struct onlooker look_on(task *p, task *c)
{
    struct onlooker o = {{read_result, NULL}, p, c, 1, 0};

    p->at.executor = &o.executor;
    p->frame.resume(&p->frame);
    expect_trace("p-awaits");
    c->frame.resume(&c->frame);
    expect_true("the child is done", task_done(c));
    p->frame.resume(&p->frame);
    expect_true("the parent is done", task_done(p));
    return o;
}

LAB_TEST(await_wakes_after_the_end)
{
    struct tally p_tally;
    struct tally c_tally;
    struct onlooker o;
    task *c = stepper("c", &c_tally, 0, 42);
    task *p = parent("p", &p_tally, c);

    step("p awaits c, which returns; an executor reads the result when p is made ready");
    o = look_on(p, c);
    expect_int("task_get(c, &value) when p was made ready", o.result, 0);
    expect_int("value", o.value, 42);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    step("the same with a child that throws");
    trace_clear();
    c = thrower("c", &c_tally, 0, 7);
    p = catcher("p", &p_tally, c);
    o = look_on(p, c);
    expect_int("task_get(c, &value) when p was made ready", o.result, 7);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}

LAB_TEST(await_finished_child)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    task *c = stepper("c", &c_tally, 0, 42);
    task *p = parent("p", &p_tally, c);

    recorder_init(&recorder);
    step("let the child end before anybody awaits it");
    expect_int("task_resume(c)", task_resume(c), 0);
    step("resume the parent: it goes through in one step");
    recorder_start(&recorder, p);
    (void)recorder_resume(&recorder);
    expect_trace("c-end p-awaits p-got-42");
    expect_true("the parent is done", task_done(p));
    expect_int("times the parent was entered", p_tally.resumed, 1);
    expect_int("times the child was entered", c_tally.resumed, 1);
    expect_int("coroutines that are ready", (intptr_t)recorder.count, 0);
    expect_int("times the child was released", c_tally.released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}

LAB_TEST(await_started_child)
{
    struct recorder recorder;
    struct gate gate = {0};
    struct tally p_tally;
    struct tally c_tally;
    struct tally q_tally;
    struct tally d_tally;
    task *c = gate_waiter("c", &c_tally, &gate);
    task *p = parent("p", &p_tally, c);
    task *d = stepper("d", &d_tally, 0, 1);
    task *q = parent("q", &q_tally, d);

    recorder_init(&recorder);
    step("start the child; it waits at a gate");
    recorder_start(&recorder, c);
    (void)recorder_run(&recorder);
    step("the parent awaits it");
    recorder_start(&recorder, p);
    (void)recorder_run(&recorder);
    expect_trace("c-waits p-awaits");
    expect_int("times the child was entered", c_tally.resumed, 1);
    expect_int("coroutines that are ready", (intptr_t)recorder.count, 0);
    step("open the gate");
    gate_open(&gate, 42);
    (void)recorder_run(&recorder);
    expect_trace("c-waits p-awaits c-end p-got-42");
    expect_int("task_destroy(p)", task_destroy(p), 0);
    step("a child that is ready already, when it is awaited, is not queued again");
    trace_clear();
    recorder_start(&recorder, q);
    recorder_start(&recorder, d);
    (void)recorder_run(&recorder);
    expect_trace("q-awaits d-end q-got-1");
    expect_int("times the child was entered", d_tally.resumed, 1);
    expect_int("task_destroy(q)", task_destroy(q), 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(await_family_of_three)
{
    struct recorder recorder;
    struct tally p_tally;
    struct tally c_tally;
    struct tally g_tally;
    task *g = stepper("g", &g_tally, 0, 42);
    task *c = parent("c", &c_tally, g);
    task *p = parent("p", &p_tally, c);

    recorder_init(&recorder);
    recorder_start(&recorder, p);
    step("run a parent that awaits a child that awaits a grandchild");
    (void)recorder_run(&recorder);
    expect_trace("p-awaits c-awaits g-end c-got-42 p-got-42");
    expect_int("times the child was released", c_tally.released, 1);
    expect_int("times the grandchild was released", g_tally.released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(awaiting_tells_the_child)
{
    struct recorder recorder;
    struct gate gate = {0};
    struct tally p_tally;
    struct tally c_tally;
    task *c = gate_waiter("c", &c_tally, &gate);
    task *p = parent("p", &p_tally, c);

    recorder_init(&recorder);
    expect_true("before the parent begins: nobody", task_awaiting(p) == NULL);
    step("the parent awaits the child, which waits at a gate");
    recorder_start(&recorder, p);
    (void)recorder_run(&recorder);
    expect_true("task_awaiting(p) is the child", task_awaiting(p) == c);
    expect_true("task_awaiting(c) is NULL: a gate is no task", task_awaiting(c) == NULL);
    expect_true("the awaiter has a name for reports",
                p->at.awaiting.type->name != NULL && p->at.awaiting.type->name[0] != '\0');
    step("open the gate, and let the child end; the parent has not had its turn");
    gate_open(&gate, 1);
    expect_true("it was the child's turn", recorder_resume(&recorder) == &c->frame);
    expect_true("the child is done", task_done(c));
    expect_true("task_awaiting(p) is NULL: the child has ended", task_awaiting(p) == NULL);
    step("let the parent end");
    (void)recorder_run(&recorder);
    expect_true("task_awaiting(p) is NULL", task_awaiting(p) == NULL);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}
