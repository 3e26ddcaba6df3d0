/* time_out.c - Step 4: how long the loop waits in the kernel. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <string.h>

/* A task sleeps; returns for how long, and in how many calls of epoll_wait. */
static int64_t sleep_alone(int64_t duration, int64_t *waits)
{
    struct loop_lab lab;
    unsigned long before = call_count(CALL_EPOLL_WAIT);
    int64_t slept;

    open_loop_lab(&lab, 0);
    spawn(&lab, awaiting(&lab, "sleep", sleep_for(lab.t, duration)));
    run_all(&lab);
    slept = lab.v.time;
    *waits = (int64_t)(call_count(CALL_EPOLL_WAIT) - before);
    close_loop_lab(&lab);
    return slept;
}

LAB_TEST(fractions_are_rounded_up)
{
    const int64_t durations[] = {1, 500000, 999999, 1000001, 10500000, 999999999};
    int64_t waits;

    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        int64_t duration = durations[i];
        int64_t next_millisecond = (duration / MILLISECONDS(1) + 1) * MILLISECONDS(1);

        step("sleep for %lld ns", (long long)duration);
        expect_time("how long it slept", sleep_alone(duration, &waits), duration, next_millisecond);
        expect_between("calls of epoll_wait", waits, 1, 3);
    }
}

LAB_TEST(whole_milliseconds_are_exact)
{
    int64_t waits;

    step("sleep for 10 ms");
    expect_time("how long it slept", sleep_alone(MILLISECONDS(10), &waits), MILLISECONDS(10),
                MILLISECONDS(10));
    expect_between("calls of epoll_wait", waits, 1, 2);
    step("sleep for 1 ms");
    expect_time("how long it slept", sleep_alone(MILLISECONDS(1), &waits), MILLISECONDS(1),
                MILLISECONDS(1));
    step("sleep for 0 ms");
    expect_time("how long it slept", sleep_alone(0, &waits), 0, 0);
}

LAB_TEST(a_month_is_waited_for)
{
    int64_t waits;
    int64_t month = SECONDS(30 * 86400);

    step("sleep for 30 days: more milliseconds than an int holds");
    expect_time("how long it slept", sleep_alone(month, &waits), month, month);
    expect_between("calls of epoll_wait", waits, 1, 4);
}

LAB_TEST(endless_sleep_beside_others)
{
    struct loop_lab lab;

    open_loop_lab(&lab, 0);
    lab.v.time = SECONDS(1);
    step("one task sleeps for ever, another for 5 ms and then stops the loop");
    spawn(&lab, awaiting(&lab, "ever", sleep_for(lab.t, INT64_MAX)));
    spawn(&lab, later(&lab, MILLISECONDS(5), stop_loop, NULL));
    run_all(&lab);
    expect_trace("");
    expect_time("the clock", lab.v.time, MILLISECONDS(1005), MILLISECONDS(1005));
    close_loop_lab(&lab);
}

struct yielder {
    task task;
    struct loop_lab *lab;
    int i;
    unsigned long waits; /* calls of epoll_wait when it had done */
};

static void yielder_body(co_handle frame)
{
    struct yielder *self = (struct yielder *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < 300; self->i++) {
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    }
    self->waits = call_count(CALL_EPOLL_WAIT);
    CO_END(self);
}

static void keep_frame(co_handle frame)
{
    (void)frame;
}

static void busy_scene(struct loop_lab *lab)
{
    struct yielder yielder = {.lab = lab};
    unsigned long before = call_count(CALL_EPOLL_WAIT);
    int pair[2];

    open_pair(pair);
    step("one task yields 300 times; another waits for data, a third sleeps for a second");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, SECONDS(1), say, &(struct speech){pair[1], "hello"}));
    start(lab, task_init(&yielder.task, "yielder", yielder_body, keep_frame));
    run_all(lab);
    for (unsigned long n = before; n < yielder.waits; n++) {
        expect_int("the time-out of epoll_wait while a task is ready", epoll_timeout(n), 0);
    }
    expect_trace("R:hello");
    close_pair(lab, pair);
}

LAB_TEST(no_wait_while_a_task_is_ready)
{
    in_both_modes(busy_scene);
}

static void mixed_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("tasks sleep for 10 and 20.5 ms while another waits for data, which come at 15 ms");
    spawn(lab, awaiting(lab, "b", sleep_for(lab->t, MICROSECONDS(20500))));
    spawn(lab, awaiting(lab, "a", sleep_for(lab->t, MILLISECONDS(10))));
    spawn(lab, awaiting(lab, "R", event_loop_readable(lab->loop, pair[0])));
    spawn(lab, later(lab, MILLISECONDS(15), say, &(struct speech){pair[1], "x"}));
    run_all(lab);
    expect_true("each was woken in time: a at 10 ms, R at 15, b from 20.5 to 21",
                strcmp(trace_text(), "a:0@10 R:0@15 b:0@21") == 0 ||
                    strcmp(trace_text(), "a:0@10 R:0@15 b:0@20.5") == 0);
    close_pair(lab, pair);
}

LAB_TEST(timers_and_descriptors_in_one_loop)
{
    in_both_modes(mixed_scene);
}

LAB_TEST(loop_without_timers)
{
    struct loop_lab lab;
    int pair[2];

    open_loop_lab(&lab, 0);
    event_loop_destroy(lab.loop);
    step("make a loop without timers");
    lab.loop = event_loop_create(lab.s, NULL, 0);
    expect_true("event_loop_create gives a loop", lab.loop != NULL);
    expect_true("event_loop_timers(loop) is NULL", event_loop_timers(lab.loop) == NULL);
    expect_true("event_loop_scheduler(loop) is the scheduler",
                event_loop_scheduler(lab.loop) == lab.s);
    open_pair(pair);
    spawn(&lab, reader(&lab, "R", pair[0], 64, 5));
    spawn(&lab, writer(&lab, "W", pair[1], "hello"));
    run_all(&lab);
    expect_trace("W:done R:hello");
    close_pair(&lab, pair);
    close_loop_lab(&lab);
}
