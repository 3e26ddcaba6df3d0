/* block_on.c - a normal function runs the scheduler until it has a result. */
#include "lab_test.h"
#include "workers.h"

#include <errno.h>

LAB_TEST(block_on_takes_the_result)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    intptr_t value = 0;

    step("block on a task that yields once and returns 42");
    expect_int("scheduler_block_on", scheduler_block_on(s, yielder(s, "a", &tally, 1, 42), &value),
               0);
    expect_int("value", value, 42);
    expect_int("times it was released", tally.released, 1);
    step("without a place for the value");
    expect_int("scheduler_block_on", scheduler_block_on(s, yielder(s, "b", &tally, 0, 42), NULL),
               0);
    step("block on a task that throws");
    value = 5;
    expect_int("scheduler_block_on", scheduler_block_on(s, thrower(s, "c", &tally, 1, 7), &value),
               7);
    expect_int("value, which must stay as it was", value, 5);
    expect_int("times they were released", tally.released, 3);
    expect_int("errors reported as lost", (intptr_t)task_lost_errors(), 0);
    step("block on NULL");
    expect_int("scheduler_block_on", scheduler_block_on(s, NULL, &value), -ENOMEM);
    expect_trace("a-0 a-1 b-0 c-0 c-1");
    destroy_scheduler(s);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

/* Yields until it is destroyed. */
static void busy_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    for (;;) {
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    CO_END(self);
}

LAB_TEST(block_on_beside_others)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally busy = {0};
    intptr_t value = 0;

    step("spawn a task that never ends, and one that does");
    spawn(s, &worker_counted(s, "busy", &busy, busy_body)->task);
    spawn(s, yielder(s, "b", NULL, 2, 0));
    step("block on a third one: it returns when that one has ended");
    expect_int("scheduler_block_on", scheduler_block_on(s, yielder(s, "a", NULL, 2, 42), &value),
               0);
    expect_int("value", value, 42);
    expect_trace("b-0 a-0 b-1 a-1 b-2 a-2");
    expect_between("turns of the one that never ends", busy.resumed, 3, 4);
    expect_true("there is work left", scheduler_has_work(s));
    step("block on another one");
    expect_int("scheduler_block_on", scheduler_block_on(s, yielder(s, "c", NULL, 0, 43), &value),
               0);
    expect_int("value", value, 43);
    destroy_scheduler(s);
    expect_int("times the busy one was released", busy.released, 1);
}

LAB_TEST(block_on_started_task)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *t = yielder(s, "a", &tally, 1, 42);
    intptr_t value = 0;

    step("start a task, then block on it");
    start(s, t);
    expect_int("scheduler_block_on", scheduler_block_on(s, t, &value), 0);
    expect_int("value", value, 42);
    expect_trace("a-0 a-1");
    expect_int("times it was released", tally.released, 1);
    destroy_scheduler(s);
}

LAB_TEST(block_on_dead_lock)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    struct gate gate = {0};
    task *t = gate_waiter(s, "g", &tally, &gate);
    intptr_t value = 5;

    step("block on a task that waits for what nobody will do");
    expect_int("scheduler_block_on", scheduler_block_on(s, t, &value), -EDEADLK);
    expect_int("value, which must stay as it was", value, 5);
    expect_int("times it was released: it is still its owner's", tally.released, 0);
    expect_true("it still waits", gate.waiting != NULL);
    step("end its wait, and run");
    gate_open(&gate, 42);
    run_to_end(s);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    destroy_scheduler(s);
}
