/* running.c - coroutines that act on their scheduler while it runs. */
#include "lab_test.h"
#include "workers.h"

#include <errno.h>

static void spawner_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("A");
    spawn(self->scheduler, yielder(self->scheduler, "D", NULL, 0, 0));
    trace("A-spawned");
    CO_END(self);
}

LAB_TEST(spawn_while_running)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);

    step("A spawns D while B and C are ready; all run in one scheduler_run");
    spawn(s, &worker_counted(s, "A", NULL, spawner_body)->task);
    spawn(s, yielder(s, "B", NULL, 0, 0));
    spawn(s, yielder(s, "C", NULL, 0, 0));
    run_to_end(s);
    expect_trace("A A-spawned B-0 C-0 D-0");
    destroy_scheduler(s);
}

static void nesting_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("A-before");
    self->i = scheduler_run(self->scheduler);
    trace("A-between");
    self->steps = scheduler_block_on(self->scheduler, self->child, NULL);
    trace("A-after");
    self->code = scheduler_destroy(self->scheduler);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    trace("A-end");
    CO_END(self);
}

LAB_TEST(run_inside_run)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct worker *a = worker_counted(s, "A", NULL, nesting_body);
    struct tally tally = {0};
    task *t = yielder(s, "T", &tally, 0, 0);

    step("A runs, blocks on and destroys the scheduler that runs it");
    a->child = t;
    start(s, &a->task);
    spawn(s, yielder(s, "B", NULL, 1, 0));
    run_to_end(s);
    expect_int("scheduler_run from inside", a->i, -EBUSY);
    expect_int("scheduler_block_on from inside", a->steps, -EBUSY);
    expect_int("scheduler_destroy from inside", a->code, -EBUSY);
    expect_trace("A-before A-between A-after B-0 A-end B-1");
    step("the task that was to be blocked on is still its owner's");
    expect_int("times it was entered", tally.resumed, 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("task_destroy(a)", task_destroy(&a->task), 0);
    destroy_scheduler(s);
}

static void other_running_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("A-before");
    self->i = scheduler_run(self->scheduler);
    trace("A-after");
    CO_END(self);
}

LAB_TEST(two_schedulers)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    scheduler *other = new_scheduler(SCHEDULER_FIFO);
    task *c = yielder(other, "c", NULL, 1, 42);
    task *p = parent(s, "p", NULL, c);
    intptr_t value = 0;

    step("a task of one scheduler awaits a task that was started on another");
    start(other, c);
    start(s, p);
    expect_true("scheduler_run(s) says that somebody waits", scheduler_run(s) > 0);
    expect_trace("p-awaits");
    step("run the other, then the first one");
    run_to_end(other);
    expect_trace("p-awaits c-0 c-1");
    run_to_end(s);
    expect_trace("p-awaits c-0 c-1 p-got-42");
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    step("a task of one may run the other");
    trace_clear();
    spawn(other, yielder(other, "B", NULL, 0, 0));
    spawn(s, &worker_counted(other, "A", NULL, other_running_body)->task);
    run_to_end(s);
    expect_trace("A-before B-0 A-after");
    destroy_scheduler(s);
    destroy_scheduler(other);
}

LAB_TEST(run_again)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    int i;

    step("spawn and run, three times");
    for (i = 0; i < 3; i++) {
        spawn(s, yielder(s, "a", NULL, 1, 0));
        run_to_end(s);
    }
    expect_trace("a-0 a-1 a-0 a-1 a-0 a-1");
    destroy_scheduler(s);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}
