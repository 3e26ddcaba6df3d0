/* teardown.c - destroying a scheduler: its own tasks go with it, the others stay. */
#include "lab_test.h"
#include "workers.h"

LAB_TEST(destroy_with_owned_tasks)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally waiting = {0};
    struct tally family = {0};
    struct tally ready = {0};
    struct gate gate = {0};
    struct gate other_gate = {0};
    unsigned resumed;

    step("spawn a task that waits at a gate, and a parent whose child waits at another one");
    spawn(s, gate_waiter(s, "g", &waiting, &gate));
    spawn(s, parent(s, "p", &family, gate_waiter(s, "c", &family, &other_gate)));
    expect_true("scheduler_run(s) says that somebody waits", scheduler_run(s) > 0);
    step("spawn two more, which are ready");
    spawn(s, yielder(s, "a", &ready, 1, 0));
    spawn(s, yielder(s, "b", &ready, 1, 0));
    resumed = waiting.resumed + family.resumed + ready.resumed;
    step("destroy the scheduler");
    destroy_scheduler(s);
    expect_int("resumptions", waiting.resumed + family.resumed + ready.resumed, resumed);
    expect_int("times the waiting one was released", waiting.released, 1);
    expect_int("times await_cancel was called at its gate", gate.cancelled, 1);
    expect_int("times parent and child were released", family.released, 2);
    expect_int("times await_cancel was called at the child's gate", other_gate.cancelled, 1);
    expect_int("times a and b were released", ready.released, 2);
    expect_trace("g-waits p-awaits c-waits");
}

LAB_TEST(destroy_between_child_and_parent)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    struct gate gate = {0};

    step("spawn a parent whose child waits at a gate; run; open the gate");
    spawn(s, parent(s, "p", &tally, gate_waiter(s, "c", &tally, &gate)));
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    gate_open(&gate, 1);
    step("destroy the scheduler: the child is ready, its wait is over");
    destroy_scheduler(s);
    expect_int("times parent and child were released", tally.released, 2);
    expect_trace("p-awaits c-waits");
}

LAB_TEST(destroy_leaves_started_tasks)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    struct gate gate = {0};
    struct gate child_gate = {0};
    task *waiting = gate_waiter(s, "g", &tally, &gate);
    task *family = parent(s, "p", &tally, gate_waiter(s, "c", &tally, &child_gate));
    task *ready = yielder(s, "a", &tally, 1, 0);

    step("start a task that waits, and a parent whose child waits; run; start one more");
    start(s, waiting);
    start(s, family);
    expect_int("scheduler_run(s)", scheduler_run(s), 3);
    start(s, ready);
    step("destroy the scheduler");
    destroy_scheduler(s);
    expect_int("times a task was released", tally.released, 0);
    expect_int("times await_cancel was called", gate.cancelled + child_gate.cancelled, 0);
    step("end their waits: there is no scheduler any more that could resume them");
    gate_open(&gate, 1);
    gate_open(&child_gate, 1);
    expect_trace("g-waits p-awaits c-waits");
    step("their owner destroys them");
    expect_int("task_destroy(waiting)", task_destroy(waiting), 0);
    expect_int("task_destroy(family)", task_destroy(family), 0);
    expect_int("task_destroy(ready)", task_destroy(ready), 0);
    expect_int("times a task was released", tally.released, 4);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

/* A task that, when it is released, opens a gate and destroys somebody. */
struct last_will {
    task task; /* first */
    struct gate *gate;
    task *heir;
};

static void last_will_body(co_handle frame)
{
    struct last_will *self = (struct last_will *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, co_suspend_always());
    CO_END(self);
}

static void last_will_release(co_handle frame)
{
    struct last_will *self = (struct last_will *)frame;

    if (self->gate->waiting != NULL) { /* not so if its waiter was destroyed before */
        gate_open(self->gate, 1);
    }
    expect_int("task_destroy of a started task", task_destroy(self->heir), 0);
    free(self);
}

static task *last_will(struct gate *gate, task *heir)
{
    struct last_will *self = calloc(1, sizeof *self);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    self->gate = gate;
    self->heir = heir;
    return task_init(&self->task, "last_will", last_will_body, last_will_release);
}

LAB_TEST(destroy_may_wake_and_destroy_others)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    struct gate gates[2] = {{0}};
    task *heirs[2];

    step("start two tasks, each waits at a gate; spawn two that wait as well");
    for (int i = 0; i < 2; i++) {
        heirs[i] = gate_waiter(s, i == 0 ? "g" : "h", &tally, &gates[i]);
        start(s, heirs[i]);
    }
    spawn(s, last_will(&gates[0], NULL));
    spawn(s, last_will(&gates[1], heirs[0]));
    expect_int("scheduler_run(s)", scheduler_run(s), 4);
    step("destroy the scheduler: of the spawned ones, the first opens g's gate when it is "
         "released, the "
         "second h's, and destroys g");
    destroy_scheduler(s);
    expect_int("times g and h were resumed", tally.resumed, 2);
    expect_int("times g and h were released", tally.released, 1);
    step("destroy h");
    expect_int("task_destroy(h)", task_destroy(heirs[1]), 0);
    expect_int("times g and h were released", tally.released, 2);
    expect_trace("g-waits h-waits");
}

LAB_TEST(destroy_leaves_other_schedulers_alone)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    scheduler *other = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *child = yielder(other, "c", &tally, 2, 7);
    task *p = parent(s, "p", NULL, child);

    step("p, on one scheduler, awaits c, which was started on another and is ready there");
    start(other, child);
    start(s, p);
    expect_true("scheduler_run(s) says that p waits", scheduler_run(s) > 0);
    step("destroy the scheduler of p, then p and with it c");
    destroy_scheduler(s);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    expect_int("times c was released", tally.released, 1);
    step("run the other scheduler: c must not be in its queue any more");
    run_to_end(other);
    expect_int("times c was resumed", tally.resumed, 0);
    destroy_scheduler(other);
}
