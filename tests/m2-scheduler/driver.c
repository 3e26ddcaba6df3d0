/* driver.c - the seam downwards: who is asked when nothing is ready. */
#include "fake_driver.h"
#include "lab_test.h"
#include "workers.h"

#include <errno.h>

LAB_TEST(driver_blocks_when_idle)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct fake_driver d;

    step("two coroutines wait for the driver, and nothing else is to do");
    fake_driver_init(&d, 2);
    d.tells = true;
    scheduler_set_driver(s, &d.driver);
    spawn(s, gate_waiter(s, "g", NULL, &d.gates[0]));
    spawn(s, gate_waiter(s, "h", NULL, &d.gates[1]));
    run_to_end(s);
    expect_trace("g-waits h-waits block g-got-1 block h-got-2");
    destroy_scheduler(s);
}

LAB_TEST(driver_without_waiters)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct fake_driver d;

    step("plug in a driver for which nobody waits, and run");
    fake_driver_init(&d, 0);
    scheduler_set_driver(s, &d.driver);
    expect_true("there is no work", !scheduler_has_work(s));
    run_to_end(s);
    spawn(s, yielder(s, "a", NULL, 3, 0));
    run_to_end(s);
    expect_trace("a-0 a-1 a-2 a-3");
    expect_int("polls in which the driver might block", d.blocked, 0);
    destroy_scheduler(s);
}

LAB_TEST(driver_ends_the_run)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct fake_driver d;

    step("the driver says -EIO when it is polled after the first round");
    fake_driver_init(&d, 1);
    d.result = -EIO;
    scheduler_set_driver(s, &d.driver);
    spawn(s, gate_waiter(s, "g", NULL, &d.gates[0]));
    spawn(s, yielder(s, "a", NULL, 1, 0));
    expect_int("scheduler_run(s)", scheduler_run(s), -EIO);
    expect_trace("g-waits a-0");
    expect_int("polls", d.polls, 1);
    expect_true("there is work left", scheduler_has_work(s));
    step("it has recovered: run again");
    d.result = 0;
    run_to_end(s);
    expect_trace("g-waits a-0 a-1 g-got-1");
    destroy_scheduler(s);
}

LAB_TEST(driver_ends_block_on)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    struct fake_driver d;
    intptr_t value = 5;
    task *t;

    step("block on a task that waits for a driver; the driver says -EIO");
    fake_driver_init(&d, 1);
    d.result = -EIO;
    scheduler_set_driver(s, &d.driver);
    t = gate_waiter(s, "g", &tally, &d.gates[0]);
    expect_int("scheduler_block_on", scheduler_block_on(s, t, &value), -EIO);
    expect_int("value, which must stay as it was", value, 5);
    expect_true("the task is not done", !task_done(t));
    expect_int("times it was released: it is still its owner's", tally.released, 0);
    step("it has recovered: block on the same task again");
    d.result = 0;
    expect_int("scheduler_run(s)", scheduler_run(s), 0);
    expect_int("scheduler_block_on", scheduler_block_on(s, t, &value), 0);
    expect_int("value", value, 1);
    expect_int("times it was released", tally.released, 1);
    step("block on one that the driver wakes");
    fake_driver_init(&d, 1);
    expect_int("scheduler_block_on",
               scheduler_block_on(s, gate_waiter(s, "h", &tally, &d.gates[0]), &value), 0);
    expect_int("value", value, 1);
    expect_trace("g-waits g-got-1 h-waits h-got-1");
    destroy_scheduler(s);
}

LAB_TEST(block_on_ends_with_its_task)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct fake_driver d;
    intptr_t value = 0;

    fake_driver_init(&d, 1);
    scheduler_set_driver(s, &d.driver);
    step("g waits for the driver; block on a task that ends in its first turn");
    spawn(s, gate_waiter(s, "g", NULL, &d.gates[0]));
    expect_int("scheduler_block_on", scheduler_block_on(s, yielder(s, "a", NULL, 0, 42), &value),
               0);
    expect_int("value", value, 42);
    expect_int("polls in which the driver might block", d.blocked, 0);
    step("block on one that yields once");
    expect_int("scheduler_block_on", scheduler_block_on(s, yielder(s, "b", NULL, 1, 43), &value),
               0);
    expect_int("value", value, 43);
    expect_int("polls in which the driver might block", d.blocked, 0);
    expect_true("g still waits", d.gates[0].waiting != NULL);
    step("run: now the driver may block");
    run_to_end(s);
    expect_trace("g-waits a-0 b-0 b-1 g-got-1");
    destroy_scheduler(s);
}

LAB_TEST(driver_is_work)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct fake_driver d;
    struct fake_driver other;

    step("plug in a driver for which somebody waits");
    fake_driver_init(&d, 1);
    scheduler_set_driver(s, &d.driver);
    expect_true("there is work", scheduler_has_work(s));
    step("put another one in its place, for which nobody waits");
    fake_driver_init(&other, 0);
    scheduler_set_driver(s, &other.driver);
    expect_true("there is no work", !scheduler_has_work(s));
    step("a coroutine waits for the first, which is not plugged in: a dead-lock");
    spawn(s, gate_waiter(s, "g", NULL, &d.gates[0]));
    expect_int("scheduler_run(s)", scheduler_run(s), 1);
    scheduler_set_driver(s, NULL);
    expect_int("scheduler_run(s)", scheduler_run(s), 1);
    expect_int("polls of the first", d.polls, 0);
    step("plug it in again");
    scheduler_set_driver(s, &d.driver);
    run_to_end(s);
    expect_trace("g-waits g-got-1");
    destroy_scheduler(s);
}
