/* waiting.c - a task that waits is withdrawn from its wait before it goes. */
#include "actors.h"
#include "gate.h"
#include "lab_test.h"
#include "recorder.h"

#include <errno.h>

/* Waits at a gate and returns what it was opened with. */
struct waiter {
    task task;
    struct gate *gate;
    const struct recorder *recorder;
    intptr_t value;
};

static void waiter_body(co_handle frame)
{
    struct waiter *self = (struct waiter *)frame;

    CO_BEGIN(self);
    trace("waits");
    CO_AWAIT(self, self->value, gate_wait(self->gate));
    trace("got-%ld", (long)self->value);
    CO_RETURN(self, self->value);
    CO_END(self);
}

/* Tells in the trace what has been withdrawn by the time of the release. */
static void waiter_release(co_handle frame)
{
    struct waiter *self = (struct waiter *)frame;

    trace("released-after-%u-cancel-%u-unschedule", self->gate->cancelled,
          self->recorder->unscheduled);
    free(self);
}

static task *waiter(struct gate *gate, const struct recorder *recorder)
{
    struct waiter *self = malloc(sizeof *self);

    expect_true("there is memory", self != NULL);
    self->gate = gate;
    self->recorder = recorder;
    return task_init(&self->task, "waiter", waiter_body, waiter_release);
}

/* The unschedule of a recorder of which nobody is ready. */
static void tell_unschedule(executor *self, co_handle frame)
{
    struct recorder *recorder = (struct recorder *)self;
    const struct waiter *waiter = (const struct waiter *)frame;

    recorder->unscheduled++;
    trace("unscheduled-after-%u-cancel", waiter->gate->cancelled);
}

LAB_TEST(destroy_withdraws)
{
    struct recorder recorder = {0};
    struct gate gate = {0};
    task *t = waiter(&gate, &recorder);

    recorder_init(&recorder);
    recorder.executor.unschedule = tell_unschedule;
    step("let a task of an executor wait at a gate");
    recorder_start(&recorder, t);
    (void)recorder_run(&recorder);
    expect_true("it waits", gate.waiting != NULL);
    step("destroy it");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("times await_cancel was called", gate.cancelled, 1);
    expect_true("the wait was not over then", gate.was_waiting);
    expect_int("times unschedule was called", recorder.unscheduled, 1);
    expect_trace("waits unscheduled-after-1-cancel released-after-1-cancel-1-unschedule");
    step("a task without an executor, resumed by hand");
    trace_clear();
    recorder_init(&recorder);
    t = waiter(&gate, &recorder);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("it waits", gate.waiting != NULL);
    expect_int("task_resume(t), for the gate will wake it", task_resume(t), -EBUSY);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_trace("waits released-after-2-cancel-0-unschedule");
}

LAB_TEST(destroy_unschedules)
{
    struct recorder recorder;
    struct gate gate = {0};
    struct tally tally;
    task *t = stepper("a", &tally, 1, 1);

    recorder_init(&recorder);
    step("destroy a task that is ready, and has not begun");
    recorder_start(&recorder, t);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("times unschedule was called", recorder.unscheduled, 1);
    expect_true("with its handle", recorder.unscheduled_last == &t->frame);
    expect_int("coroutines that are ready", (intptr_t)recorder.count, 0);
    expect_int("times it was released", tally.released, 1);
    step("destroy a task whose wait is over, so that it is ready again");
    t = waiter(&gate, &recorder);
    recorder_start(&recorder, t);
    (void)recorder_run(&recorder);
    gate_open(&gate, 5);
    expect_true("it is ready", recorder_is_ready(&recorder, t));
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("coroutines that are ready", (intptr_t)recorder.count, 0);
    expect_int("times await_cancel was called", gate.cancelled, 1);
    expect_true("the wait was over then", !gate.was_waiting);
    expect_trace("waits released-after-1-cancel-2-unschedule");
}

LAB_TEST(destroy_ended_withdraws_nothing)
{
    struct recorder recorder = {0};
    struct gate gate = {0};
    task *t = waiter(&gate, &recorder);
    intptr_t value = 0;

    recorder_init(&recorder);
    step("let a task of an executor wait at a gate, open it, and let it end");
    recorder_start(&recorder, t);
    (void)recorder_run(&recorder);
    gate_open(&gate, 5);
    (void)recorder_run(&recorder);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 5);
    step("destroy it");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_trace("waits got-5 released-after-0-cancel-0-unschedule");
}
