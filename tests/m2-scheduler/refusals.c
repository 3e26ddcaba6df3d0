/* refusals.c - what cannot be made ready. */
#include "lab_test.h"
#include "workers.h"

#include <errno.h>

LAB_TEST(schedule_twice)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *t = yielder(s, "a", &tally, 2, 0);

    step("schedule a task that is in the queue already");
    start(s, t);
    expect_int("scheduler_schedule(s, t)", scheduler_schedule(s, &t->frame), -EALREADY);
    expect_int("scheduler_start(s, t)", scheduler_start(s, t), -EALREADY);
    expect_int("scheduler_spawn(s, t)", scheduler_spawn(s, t), -EALREADY);
    step("run: it takes its turns once, and is still its owner's");
    run_to_end(s);
    expect_trace("a-0 a-1 a-2");
    expect_int("times its body was entered", tally.resumed, 3);
    expect_int("times it was released", tally.released, 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    destroy_scheduler(s);
}

LAB_TEST(schedule_null_or_ended)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *t = yielder(s, "a", &tally, 0, 42);
    intptr_t value = 0;

    expect_int("scheduler_schedule(s, NULL)", scheduler_schedule(s, NULL), -EINVAL);
    expect_int("scheduler_start(s, NULL)", scheduler_start(s, NULL), -ENOMEM);
    expect_int("scheduler_spawn(s, NULL)", scheduler_spawn(s, NULL), -ENOMEM);
    step("schedule a task that has ended");
    start(s, t);
    run_to_end(s);
    expect_int("scheduler_schedule(s, t)", scheduler_schedule(s, &t->frame), -EINVAL);
    expect_int("scheduler_start(s, t)", scheduler_start(s, t), -EINVAL);
    expect_int("scheduler_spawn(s, t)", scheduler_spawn(s, t), -EINVAL);
    run_to_end(s);
    expect_int("times its body was entered", tally.resumed, 1);
    step("it is still its owner's");
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    destroy_scheduler(s);
}

static void self_scheduling_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    self->i = scheduler_schedule(self->scheduler, frame);
    trace("goes on");
    CO_END(self);
}

LAB_TEST(schedule_busy)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    scheduler *other = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    struct gate gate = {0};
    struct worker *self = worker_counted(s, "self", &tally, self_scheduling_body);
    task *t = gate_waiter(s, "g", NULL, &gate);

    step("a running task schedules itself");
    start(s, &self->task);
    run_to_end(s);
    expect_int("scheduler_schedule from inside", self->i, -EBUSY);
    expect_trace("goes on");
    expect_int("times its body was entered", tally.resumed, 1);
    expect_int("task_destroy(self)", task_destroy(&self->task), 0);
    step("schedule a task that waits at a gate");
    start(s, t);
    expect_int("scheduler_run(s)", scheduler_run(s), 1);
    expect_int("scheduler_schedule(s, t)", scheduler_schedule(s, &t->frame), -EBUSY);
    step("schedule it on another scheduler");
    expect_int("scheduler_schedule(other, t)", scheduler_schedule(other, &t->frame), -EBUSY);
    gate_open(&gate, 1);
    expect_int("scheduler_schedule(other, t)", scheduler_schedule(other, &t->frame), -EBUSY);
    expect_int("scheduler_spawn(other, t)", scheduler_spawn(other, t), -EBUSY);
    run_to_end(other);
    run_to_end(s);
    expect_trace("goes on g-waits g-got-1");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    destroy_scheduler(s);
    destroy_scheduler(other);
}

static void pausing_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("1");
    CO_AWAIT(self, self->task.ignored, co_suspend_always());
    trace("2");
    CO_END(self);
}

LAB_TEST(schedule_resumes_a_pause)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct worker *self = worker_counted(s, "self", NULL, pausing_body);

    step("run a task that suspends itself, for nobody to wake it");
    start(s, &self->task);
    expect_int("scheduler_run(s)", scheduler_run(s), 1);
    expect_trace("1");
    step("schedule it, and run again");
    expect_int("scheduler_schedule(s, t)", scheduler_schedule(s, &self->task.frame), 0);
    run_to_end(s);
    expect_trace("1 2");
    expect_int("task_destroy(t)", task_destroy(&self->task), 0);
    step("another such task is awaited by q, who so owns it: it cannot be spawned, but scheduled");
    trace_clear();
    self = worker_counted(s, "self", NULL, pausing_body);
    start(s, &self->task);
    spawn(s, parent(s, "q", NULL, &self->task));
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    expect_int("scheduler_spawn(s, t)", scheduler_spawn(s, &self->task), -EBUSY);
    expect_int("scheduler_schedule(s, t)", scheduler_schedule(s, &self->task.frame), 0);
    run_to_end(s);
    expect_trace("1 q-awaits 2 q-got-0");
    destroy_scheduler(s);
}

static void strange_yield_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, scheduler_yield(self->scheduler));
    trace("%s-%d", self->name, self->value == -EINVAL);
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(yield_elsewhere)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    scheduler *other = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *t;
    intptr_t value = 0;

    step("a task of one scheduler yields to another one");
    spawn(s, &worker_counted(other, "a", &tally, strange_yield_body)->task);
    run_to_end(s);
    expect_trace("a-1");
    expect_int("times its body was entered: it did not suspend", tally.resumed, 1);
    run_to_end(other);
    step("a task of no scheduler, resumed by hand, yields");
    t = &worker_counted(s, "b", &tally, strange_yield_body)->task;
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_trace("a-1 b-1");
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("what the yield gave", value, -EINVAL);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    step("a task of this scheduler yields, and that gives 0");
    t = &worker_counted(s, "c", &tally, strange_yield_body)->task;
    start(s, t);
    run_to_end(s);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("what the yield gave", value, 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    destroy_scheduler(s);
    destroy_scheduler(other);
}
