/* driver.c - Step 3: what the run loop gets from the timers, and when they sleep on the clock. */
#include "lab_test.h"
#include "sleeper.h"

LAB_TEST(one_wait_for_all_that_are_due)
{
    static struct wake_log log;
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("100 tasks sleep until 10 ms");
    for (int id = 0; id < 100; id++) {
        spawn(&lab, logged_sleeper(lab.t, &log, id, MILLISECONDS(10)));
    }
    run_all(&lab);
    for (int id = 0; id < 100; id++) {
        expect_wake(&log, (size_t)id, id, MILLISECONDS(10));
    }
    expect_int("how often the driver slept on the clock", lab.v.sleeps, 1);
    close_sleep_lab(&lab);
}

LAB_TEST(no_polling_while_asleep)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("one task sleeps for 10 s");
    spawn(&lab, sleeper(&lab, "x", SECONDS(10)));
    run_all(&lab);
    expect_trace("x@10000");
    expect_int("how often the driver slept on the clock", lab.v.sleeps, 1);
    close_sleep_lab(&lab);
}

LAB_TEST(poll_blocks_only_if_it_may)
{
    struct sleep_lab lab;
    driver *d;

    open_sleep_lab(&lab);
    d = timers_driver(lab.t);
    step("nobody sleeps");
    expect_true("pending is false", !d->pending(d));
    expect_int("poll(driver, may_block: false)", d->poll(d, false), 0);

    step("two tasks sleep, until 10 ms and until 20 ms");
    spawn(&lab, sleeper(&lab, "x", MILLISECONDS(10)));
    spawn(&lab, sleeper(&lab, "y", MILLISECONDS(20)));
    run_ready(&lab);
    expect_true("pending is true", d->pending(d));
    expect_int("poll(driver, may_block: false)", d->poll(d, false), 0);
    expect_int("how often the driver slept on the clock", lab.v.sleeps, 0);
    expect_true("pending is still true", d->pending(d));

    step("it is 10 ms, and the driver may not block");
    lab.v.time = MILLISECONDS(10);
    expect_int("poll(driver, may_block: false)", d->poll(d, false), 0);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 1);
    run_ready(&lab);
    expect_trace("x@10");

    step("now it may block");
    expect_int("poll(driver, may_block: true)", d->poll(d, true), 0);
    expect_time("the clock afterwards", lab.v.time, MILLISECONDS(20), MILLISECONDS(20));
    run_ready(&lab);
    expect_trace("x@10 y@20");
    expect_true("pending is false again", !d->pending(d));
    close_sleep_lab(&lab);
}

struct waiter {
    task task;
    struct sleep_lab *lab;
    const bool *enough;
    int rounds;
};

static void stuck_body(co_handle frame)
{
    struct waiter *self = (struct waiter *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, co_suspend_always());
    CO_END(self);
}

LAB_TEST(dead_lock_is_seen_behind_timers)
{
    struct sleep_lab lab;
    struct waiter *stuck = malloc(sizeof *stuck);

    open_sleep_lab(&lab);
    step("one task sleeps for 10 ms, another waits for something that never comes");
    spawn(&lab, task_init(&stuck->task, "stuck", stuck_body, NULL));
    spawn(&lab, sleeper(&lab, "x", MILLISECONDS(10)));
    expect_int("scheduler_run(s): one task is stuck", scheduler_run(lab.s), 1);
    expect_trace("x@10");
    expect_true("scheduler_has_work(s) is false", !scheduler_has_work(lab.s));
    close_sleep_lab(&lab);
}

static void busy_body(co_handle frame)
{
    struct waiter *self = (struct waiter *)frame;

    CO_BEGIN(self);
    for (self->rounds = 0; self->rounds < 1000 && !*self->enough; self->rounds++) {
        self->lab->v.time += MILLISECONDS(1);
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    }
    CO_RETURN(self, self->rounds);
    CO_END(self);
}

struct alarm {
    task task;
    struct sleep_lab *lab;
    bool *rang;
};

static void alarm_body(co_handle frame)
{
    struct alarm *self = (struct alarm *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(10)));
    *self->rang = true;
    CO_END(self);
}

LAB_TEST(busy_tasks_do_not_delay_timers)
{
    struct sleep_lab lab;
    struct waiter *busy = malloc(sizeof *busy);
    struct alarm *alarm = malloc(sizeof *alarm);
    bool rang = false;
    intptr_t rounds = 0;

    open_sleep_lab(&lab);
    *busy = (struct waiter){.lab = &lab, .enough = &rang};
    *alarm = (struct alarm){.lab = &lab, .rang = &rang};
    step("one task sleeps for 10 ms; another yields all the time, and every turn takes 1 ms");
    spawn(&lab, task_init(&alarm->task, "alarm", alarm_body, NULL));
    start(&lab, task_init(&busy->task, "busy", busy_body, NULL));
    expect_int("block_on(busy)", scheduler_block_on(lab.s, &busy->task, &rounds), 0);
    expect_between("turns of the busy task before the sleeper went on", rounds, 10, 12);
    expect_int("how often the driver slept on the clock", lab.v.sleeps, 0);
    close_sleep_lab(&lab);
}

LAB_TEST(queries_tell_what_sleeps)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("nobody sleeps");
    expect_true("timers_clock(t) is the clock handed in", timers_clock(lab.t) == &lab.v.clock);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 0);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), INT64_MAX);
    expect_int("timers_expire(t)", (intptr_t)timers_expire(lab.t), 0);

    step("three tasks sleep for 30, 10 and 20 ms");
    spawn(&lab, sleeper(&lab, "c", MILLISECONDS(30)));
    spawn(&lab, sleeper(&lab, "a", MILLISECONDS(10)));
    spawn(&lab, sleeper(&lab, "b", MILLISECONDS(20)));
    run_ready(&lab);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 3);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), MILLISECONDS(10));

    step("it is 1 ns before 20 ms");
    lab.v.time = MILLISECONDS(20) - 1;
    expect_int("timers_expire(t)", (intptr_t)timers_expire(lab.t), 1);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), MILLISECONDS(20));
    step("it is 20 ms");
    lab.v.time = MILLISECONDS(20);
    expect_int("timers_expire(t)", (intptr_t)timers_expire(lab.t), 1);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 1);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), MILLISECONDS(30));
    expect_trace("");
    run_all(&lab);
    expect_trace("a@20 b@20 c@30");
    close_sleep_lab(&lab);
}
