/* hard_time.c - Step 5: durations that overflow, clocks that jump, and sleeps cut short by signals.
 */
#include "lab_test.h"
#include "sleeper.h"

LAB_TEST(endless_sleep_does_not_overflow)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    lab.v.time = SECONDS(1);
    step("it is 1 s; one task sleeps for INT64_MAX ns, one for INT64_MAX - 1 s + 1 ns, one for 1 "
         "ms");
    spawn(&lab, sleeper(&lab, "ever", INT64_MAX));
    spawn(&lab, sleeper(&lab, "ever2", INT64_MAX - SECONDS(1) + 1));
    expect_int("block_on(the third)",
               scheduler_block_on(lab.s, sleeper(&lab, "soon", MILLISECONDS(1)), NULL), 0);
    expect_trace("soon@1001");
    expect_time("the clock", lab.v.time, MILLISECONDS(1001), MILLISECONDS(1001));
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 2);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), INT64_MAX);
    close_sleep_lab(&lab);
}

LAB_TEST(largest_sum_is_not_clamped)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    lab.v.time = SECONDS(1);
    step("it is 1 s; a task sleeps for INT64_MAX - 1 s - 1 ns");
    spawn(&lab, sleeper(&lab, "x", INT64_MAX - SECONDS(1) - 1));
    run_ready(&lab);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), INT64_MAX - 1);
    run_all(&lab);
    expect_int("the clock", lab.v.time, INT64_MAX - 1);
    close_sleep_lab(&lab);
}

LAB_TEST(late_sleepers_keep_their_order)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("sleeps of 30, 10, 20 and 40 ms; then the clock jumps to 35 ms");
    spawn(&lab, sleeper(&lab, "c", MILLISECONDS(30)));
    spawn(&lab, sleeper(&lab, "a", MILLISECONDS(10)));
    spawn(&lab, sleeper(&lab, "b", MILLISECONDS(20)));
    spawn(&lab, sleeper(&lab, "d", MILLISECONDS(40)));
    run_ready(&lab);
    lab.v.time = MILLISECONDS(35);
    run_all(&lab);
    expect_trace("a@35 b@35 c@35 d@40");
    expect_between("how often the driver slept on the clock", lab.v.sleeps, 1, 2);
    close_sleep_lab(&lab);
}

/* ---- A clock on which every look takes 1 ms ---- */

struct slow_clock {
    lab_clock clock;
    int64_t time;
};

static int64_t slow_now(lab_clock *self)
{
    struct slow_clock *c = (struct slow_clock *)self;

    c->time += MILLISECONDS(1);
    return c->time;
}

static void slow_sleep_until(lab_clock *self, int64_t deadline)
{
    struct slow_clock *c = (struct slow_clock *)self;

    if (c->time < deadline) {
        c->time = deadline;
    }
}

LAB_TEST(one_look_at_the_clock)
{
    static struct wake_log log;
    struct sleep_lab lab;
    struct slow_clock c = {{slow_now, slow_sleep_until}, 0};

    lab.s = scheduler_create(SCHEDULER_FIFO);
    lab.t = timers_create(&c.clock);
    step("on a clock that moves by 1 ms at each look, tasks sleep until 1001, 1002, ... 1010 ms");
    for (int id = 1; id <= 10; id++) {
        spawn(&lab, logged_sleeper(lab.t, &log, id, MILLISECONDS(1000 + id)));
    }
    lab.v.time = 0;
    run_ready(&lab);
    step("it is 1004 ms, and will be 1005 at the next look");
    c.time = MILLISECONDS(1004);
    expect_int("timers_expire(t)", (intptr_t)timers_expire(lab.t), 5);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 5);
    close_sleep_lab(&lab);
}

/* ---- A clock on which every sleep is cut short, as by a signal ---- */

struct cut_clock {
    virtual_clock v;
    int64_t step;        /* how far a sleep gets */
    int64_t asked_for;   /* the deadline of the last sleep */
    bool deadline_moved; /* some sleep was asked for another one than that before */
};

static void cut_sleep_until(lab_clock *self, int64_t deadline)
{
    struct cut_clock *c = (struct cut_clock *)self;

    c->v.sleeps++;
    if (c->v.sleeps > 1000) {
        fail_test("the sleep starts anew after each signal: 1000 times so far");
    }
    c->deadline_moved |= c->v.sleeps > 1 && deadline != c->asked_for;
    c->asked_for = deadline;
    if (c->v.time < deadline) {
        c->v.time += deadline - c->v.time < c->step ? deadline - c->v.time : c->step;
    }
}

static void sleep_with_signals(int64_t each, int64_t sleeps)
{
    struct cut_clock c;
    static struct wake_log log;
    struct sleep_lab lab;

    open_watched_clock(&c.v);
    c.v.clock.sleep_until = cut_sleep_until;
    c.step = each;
    c.deadline_moved = false;
    lab.s = scheduler_create(SCHEDULER_FIFO);
    lab.t = timers_create(&c.v.clock);
    scheduler_set_driver(lab.s, timers_driver(lab.t));
    log.count = 0;
    step("a signal comes after each %g ms of a sleep until 50 ms", (double)each / 1e6);
    spawn(&lab, logged_sleeper(lab.t, &log, 1, MILLISECONDS(50)));
    run_all(&lab);
    expect_wake(&log, 0, 1, MILLISECONDS(50));
    expect_int("how often the driver slept on the clock", c.v.sleeps, sleeps);
    expect_true("each time until the same deadline", !c.deadline_moved);
    close_sleep_lab(&lab);
}

LAB_TEST(signals_do_not_move_the_deadline)
{
    sleep_with_signals(MILLISECONDS(1), 50);
    sleep_with_signals(MILLISECONDS(30), 2);
    sleep_with_signals(MILLISECONDS(49), 2);
}
