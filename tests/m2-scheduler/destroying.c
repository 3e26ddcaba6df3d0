/* destroying.c - a task that is destroyed leaves the scheduler, wherever it stands. */
#include "lab_test.h"
#include "workers.h"

#include <errno.h>

LAB_TEST(destroy_a_ready_task)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *a = yielder(s, "a", NULL, 1, 0);
    task *b = yielder(s, "b", &tally, 1, 0);
    task *c = yielder(s, "c", NULL, 1, 0);

    step("start a, b and c; destroy b; run");
    start(s, a);
    start(s, b);
    start(s, c);
    expect_int("task_destroy(b)", task_destroy(b), 0);
    expect_int("times b was released", tally.released, 1);
    run_to_end(s);
    expect_trace("a-0 c-0 a-1 c-1");
    expect_int("task_destroy(a)", task_destroy(a), 0);
    expect_int("task_destroy(c)", task_destroy(c), 0);
    step("destroy the only one that is ready");
    a = yielder(s, "a", NULL, 0, 0);
    start(s, a);
    expect_int("task_destroy(a)", task_destroy(a), 0);
    run_to_end(s);
    expect_trace("a-0 c-0 a-1 c-1");
    destroy_scheduler(s);
}

/* Destroys the task in `child`, and one in `second`, if there is; ends then, if `steps` says so. */
static void destroying_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("%s", self->name);
    self->i = task_destroy(task_take(&self->child));
    (void)task_destroy(task_take(&self->second));
    if (self->steps == 1) {
        CO_RETURN(self, self->i);
    }
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    trace("%s-end", self->name);
    CO_RETURN(self, self->i);
    CO_END(self);
}

static task *destroyer(scheduler *s, task *victim)
{
    struct worker *self = worker_counted(s, "A", NULL, destroying_body);

    self->child = victim;
    return &self->task;
}

LAB_TEST(destroy_while_running)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *b = yielder(s, "B", NULL, 1, 0);
    task *c = yielder(s, "C", &tally, 1, 0);
    task *a = destroyer(s, c);
    intptr_t value = 1;

    step("A destroys C, which is ready, while B is ready in between");
    start(s, a);
    start(s, b);
    start(s, c);
    run_to_end(s);
    expect_trace("A B-0 A-end B-1");
    expect_int("times C was entered", tally.resumed, 0);
    expect_int("times C was released", tally.released, 1);
    expect_int("task_get(a, &value)", task_get(a, &value), 0);
    expect_int("what task_destroy(C) gave", value, 0);
    expect_int("task_destroy(a)", task_destroy(a), 0);
    step("A destroys the only other one, and goes on");
    trace_clear();
    expect_int("task_destroy(b)", task_destroy(b), 0);
    b = yielder(s, "B", &tally, 1, 0);
    a = destroyer(s, b);
    start(s, a);
    start(s, b);
    run_to_end(s);
    expect_trace("A A-end");
    expect_int("task_destroy(a)", task_destroy(a), 0);
    step("A destroys both others, and ends: nothing is left");
    trace_clear();
    tally = (struct tally){0};
    b = yielder(s, "B", &tally, 1, 0);
    c = yielder(s, "C", &tally, 1, 0);
    a = destroyer(s, b);
    ((struct worker *)a)->steps = 1;
    ((struct worker *)a)->second = c;
    start(s, a);
    start(s, b);
    start(s, c);
    run_to_end(s);
    expect_trace("A");
    expect_int("times B and C were released", tally.released, 2);
    expect_int("task_destroy(a)", task_destroy(a), 0);
    destroy_scheduler(s);
}

LAB_TEST(destroy_a_waiting_task)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct gate gate = {0};
    struct gate other_gate = {0};
    task *g = gate_waiter(s, "g", NULL, &gate);
    task *h = gate_waiter(s, "h", NULL, &other_gate);

    step("two tasks wait at gates; run says so");
    start(s, g);
    start(s, h);
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    step("destroy the first: nobody waits at its gate any more");
    expect_int("task_destroy(g)", task_destroy(g), 0);
    expect_true("the gate is free", gate.waiting == NULL);
    expect_int("scheduler_run(s)", scheduler_run(s), 1);
    step("open the other gate");
    gate_open(&other_gate, 1);
    run_to_end(s);
    expect_trace("g-waits h-waits h-got-1");
    expect_int("task_destroy(h)", task_destroy(h), 0);
    destroy_scheduler(s);
}

LAB_TEST(destroy_one_side_of_an_await)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    struct gate gate = {0};
    task *c = gate_waiter(s, "c", &tally, &gate);
    task *p = parent(s, "p", &tally, c);

    step("p awaits c, which was started, too, and waits at a gate");
    start(s, c);
    start(s, p);
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    step("destroy c, which is p's");
    expect_int("task_destroy(c)", task_destroy(c), -EBUSY);
    expect_int("times a task was released", tally.released, 0);
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    step("destroy p, and c with it");
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("times a task was released", tally.released, 2);
    expect_true("the gate is free", gate.waiting == NULL);
    run_to_end(s);
    expect_trace("c-waits p-awaits");
    destroy_scheduler(s);
}

LAB_TEST(destroy_a_parent_among_others)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    struct gate gates[3] = {0};
    task *p = parent(s, "p", &tally, gate_waiter(s, "c", &tally, &gates[2]));

    step("a and b wait at gates; p, between them, awaits c, which has not entered by itself");
    spawn(s, gate_waiter(s, "a", NULL, &gates[0]));
    start(s, p);
    spawn(s, gate_waiter(s, "b", NULL, &gates[1]));
    (void)scheduler_run(s); /* how many wait, it tells in Step 6 */
    expect_trace("a-waits p-awaits b-waits c-waits");
    step("destroy p, and c with it: a and b are still in the list");
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("times a task was released", tally.released, 2);
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    step("open the gates of a and b");
    gate_open(&gates[0], 1);
    gate_open(&gates[1], 2);
    run_to_end(s);
    expect_trace("a-waits p-awaits b-waits c-waits a-got-1 b-got-2");
    destroy_scheduler(s);
}
