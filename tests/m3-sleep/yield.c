/* yield.c - Step 1: a sleep that is over before it begins lets the others run, and takes no time.
 */
#include "lab_test.h"
#include "sleeper.h"

struct short_sleeper {
    task task;
    struct sleep_lab *lab;
    char name;
    bool until; /* sleep_until(when), else sleep_for(when) */
    int64_t when;
    int times, i;
    intptr_t slept;
};

static void short_sleeper_body(co_handle frame)
{
    struct short_sleeper *self = (struct short_sleeper *)frame;

    CO_BEGIN(self);
    for (self->i = 1; self->i <= self->times; self->i++) {
        trace("%c%d", self->name, self->i);
        if (self->until) {
            CO_AWAIT(self, self->slept, sleep_until(self->lab->t, self->when));
        } else {
            CO_AWAIT(self, self->slept, sleep_for(self->lab->t, self->when));
        }
        expect_int("the value of the sleep", self->slept, 0);
    }
    CO_END(self);
}

static task *short_sleeper(struct sleep_lab *lab, char name, bool until, int64_t when)
{
    struct short_sleeper *self = malloc(sizeof *self);

    self->lab = lab;
    self->name = name;
    self->until = until;
    self->when = when;
    self->times = 3;
    return task_init(&self->task, "short_sleeper", short_sleeper_body, NULL);
}

/* Two of them must alternate; on the way nobody may sleep on the clock. */
static void expect_yields(const char *call, int64_t now, bool until, int64_t when)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    trace_clear();
    lab.v.time = now;
    step("A and B each call %s three times", call);
    spawn(&lab, short_sleeper(&lab, 'A', until, when));
    spawn(&lab, short_sleeper(&lab, 'B', until, when));
    run_all(&lab);
    expect_trace("A1 B1 A2 B2 A3 B3");
    expect_time("the clock afterwards", lab.v.time, now, now);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 0);
    close_sleep_lab(&lab);
}

LAB_TEST(zero_sleep_yields)
{
    expect_yields("sleep_for(t, 0)", SECONDS(1), false, 0);
}

LAB_TEST(negative_sleep_yields)
{
    expect_yields("sleep_for(t, -5 ms)", SECONDS(1), false, MILLISECONDS(-5));
    expect_yields("sleep_for(t, -5 s)", SECONDS(1), false, SECONDS(-5));
    expect_yields("sleep_for(t, INT64_MIN)", SECONDS(1), false, INT64_MIN);
}

LAB_TEST(past_deadline_yields)
{
    expect_yields("sleep_until(t, a second ago)", SECONDS(2), true, SECONDS(1));
    expect_yields("sleep_until(t, now)", SECONDS(2), true, SECONDS(2));
    expect_yields("sleep_until(t, INT64_MIN)", SECONDS(2), true, INT64_MIN);
}

struct ticker {
    task task;
    struct sleep_lab *lab;
    int i;
    awaiter made;
};

static void ticker_body(co_handle frame)
{
    struct ticker *self = (struct ticker *)frame;

    CO_BEGIN(self);
    for (self->i = 1; self->i <= 4; self->i++) {
        CO_AWAIT(self, self->task.ignored, sleep_until(self->lab->t, MILLISECONDS(10) * self->i));
        trace("%g", (double)self->lab->v.time / 1e6);
        self->lab->v.time += MILLISECONDS(3);
    }
    CO_END(self);
}

static void stale_body(co_handle frame)
{
    struct ticker *self = (struct ticker *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(1)));
    self->lab->v.time += MILLISECONDS(50);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(10)));
    trace("%g", (double)self->lab->v.time / 1e6);
    self->made = sleep_for(self->lab->t, MILLISECONDS(10));
    self->lab->v.time += MILLISECONDS(4);
    CO_AWAIT(self, self->task.ignored, self->made);
    trace("%g", (double)self->lab->v.time / 1e6);
    CO_END(self);
}

static task *ticker(struct sleep_lab *lab, void (*body)(co_handle))
{
    struct ticker *self = malloc(sizeof *self);

    self->lab = lab;
    return task_init(&self->task, "ticker", body, NULL);
}

LAB_TEST(absolute_deadlines_do_not_drift)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("sleep_until 10, 20, 30 and 40 ms, with 3 ms of work after each");
    spawn(&lab, ticker(&lab, ticker_body));
    run_all(&lab);
    expect_trace("10 20 30 40");
    close_sleep_lab(&lab);
}

LAB_TEST(duration_counts_from_the_call)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step(
        "a task wakes at 1 ms, works for 50 ms, and then sleeps for 10 ms; then it calls sleep_for "
        "10 ms, works for 4 ms, and awaits what it got");
    spawn(&lab, ticker(&lab, stale_body));
    run_all(&lab);
    expect_trace("61 71");
    close_sleep_lab(&lab);
}
