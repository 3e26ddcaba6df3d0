/* teardown.c - Step 4: sleeps that end before their time, and other executors than the scheduler.
 */
#include "lab_test.h"
#include "recorder.h"
#include "sleeper.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Three tasks of a recorder that sleep until 10, 20 and 30 ms. */
struct bedroom {
    virtual_clock v;
    timers *t;
    struct recorder r;
    struct wake_log log;
    task *sleepers[3];
};

static void open_bedroom(struct bedroom *b)
{
    open_watched_clock(&b->v);
    b->t = timers_create(&b->v.clock);
    recorder_init(&b->r);
    b->log.count = 0;
    step("three tasks sleep until 10, 20 and 30 ms");
    for (int i = 0; i < 3; i++) {
        b->sleepers[i] = logged_sleeper(b->t, &b->log, i, MILLISECONDS(10 * (i + 1)));
        recorder_start(&b->r, b->sleepers[i]);
    }
    (void)recorder_run(&b->r);
    b->r.scheduled = 0;
    expect_int("timers_count(t)", (intptr_t)timers_count(b->t), 3);
}

static void close_bedroom(struct bedroom *b)
{
    for (int i = 0; i < 3; i++) {
        expect_int("task_destroy(t)", task_destroy(b->sleepers[i]), 0);
    }
}

LAB_TEST(any_executor_is_woken)
{
    static struct bedroom b;

    open_bedroom(&b);
    step("it is 20 ms");
    b.v.time = MILLISECONDS(20);
    expect_int("timers_expire(t)", (intptr_t)timers_expire(b.t), 2);
    expect_int("how often the executor's schedule was called", b.r.scheduled, 2);
    expect_int("how many went on before the executor resumed them", (intptr_t)b.log.count, 0);
    (void)recorder_run(&b.r);
    expect_wake(&b.log, 0, 0, MILLISECONDS(20));
    expect_wake(&b.log, 1, 1, MILLISECONDS(20));
    close_bedroom(&b);
    expect_int("timers_count(t), the third destroyed", (intptr_t)timers_count(b.t), 0);
    timers_destroy(b.t);
}

LAB_TEST(resumed_by_hand_is_cancelled)
{
    static struct bedroom b;

    open_bedroom(&b);
    step("at 0 ms, resume the second by hand");
    b.sleepers[1]->frame.resume(&b.sleepers[1]->frame);
    expect_int("how many went on", (intptr_t)b.log.count, 1);
    expect_int("the value of its sleep", b.log.wakes[0].value, -ECANCELED);
    expect_int("timers_count(t)", (intptr_t)timers_count(b.t), 2);
    b.v.time = MILLISECONDS(30);
    expect_int("timers_expire(t) at 30 ms", (intptr_t)timers_expire(b.t), 2);
    (void)recorder_run(&b.r);
    expect_wake(&b.log, 1, 0, MILLISECONDS(30));
    expect_wake(&b.log, 2, 2, MILLISECONDS(30));
    close_bedroom(&b);
    timers_destroy(b.t);
}

LAB_TEST(destroyed_timers_wake_everybody)
{
    static struct bedroom b;

    open_bedroom(&b);
    step("destroy the timers");
    timers_destroy(b.t);
    expect_int("how often the executor's schedule was called", b.r.scheduled, 3);
    while (recorder_resume(&b.r) != NULL) {
        expect_int("the value of the sleep", b.log.wakes[b.log.count - 1].value, -ECANCELED);
    }
    expect_int("how many went on", (intptr_t)b.log.count, 3);
    close_bedroom(&b);
    timers_destroy(NULL);
}

struct guest {
    task task;
    timers *timers;
    int *released;
};

static void guest_body(co_handle frame)
{
    struct guest *self = (struct guest *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->timers, MILLISECONDS(10)));
    trace("resumed");
    CO_END(self);
}

static void release_guest(co_handle frame)
{
    struct guest *self = (struct guest *)frame;

    (*self->released)++;
    free(self);
}

LAB_TEST(scheduler_goes_first)
{
    struct sleep_lab lab;
    int released = 0;

    open_sleep_lab(&lab);
    step("five tasks of the scheduler's sleep; one of them is due already");
    for (int i = 0; i < 5; i++) {
        struct guest *self = malloc(sizeof *self);

        self->timers = lab.t;
        self->released = &released;
        spawn(&lab, task_init(&self->task, "guest", guest_body, release_guest));
        run_ready(&lab);
        lab.v.time += MILLISECONDS(2);
    }
    expect_int("timers_expire(t)", (intptr_t)timers_expire(lab.t), 1);
    step("destroy the scheduler");
    expect_int("scheduler_destroy(s)", scheduler_destroy(lab.s), 0);
    expect_int("frames released", released, 5);
    expect_trace("");
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 0);
    timers_destroy(lab.t);
}

/* ---- The cost of a removal ---- */

enum { MANY = 32 * 1024, FEW = 512 };

/* Some kernels count processor time in ticks, and tell of less not at all. */
static const int64_t LEAST = MILLISECONDS(4);

static void keep_frame(co_handle frame)
{
    (void)frame;
}

static int64_t cpu_time(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return SECONDS(t.tv_sec) + t.tv_nsec;
}

/* The processor time that it takes to destroy `count` tasks that sleep, in a scrambled order. */
static int64_t remove_all(timers *t, struct recorder *r, unsigned count)
{
    struct guest *crowd = calloc(count, sizeof *crowd);
    int64_t began;

    for (unsigned i = 0; i < count; i++) {
        crowd[i] = (struct guest){.timers = t};
        recorder_start(r, task_init(&crowd[i].task, "guest", guest_body, keep_frame));
        (void)recorder_run(r);
    }
    expect_int("timers_count(t)", (intptr_t)timers_count(t), count);
    began = cpu_time();
    for (unsigned i = 0; i < count; i++) {
        (void)task_destroy(&crowd[(i * 40503u + 7) % count].task);
    }
    began = cpu_time() - began;
    expect_int("timers_count(t)", (intptr_t)timers_count(t), 0);
    free(crowd);
    return began;
}

LAB_TEST(removal_does_not_search)
{
    virtual_clock v;
    struct recorder r;
    timers *t;
    int64_t few = 0;
    int64_t many;

    open_watched_clock(&v);
    t = timers_create(&v.clock);
    recorder_init(&r);
    step("destroy %d sleepers, %d times", FEW, MANY / FEW);
    for (int i = 0; i < MANY / FEW; i++) {
        few += remove_all(t, &r, FEW);
    }
    if (few < LEAST) {
        few = LEAST;
    }
    step("destroy %d sleepers: the same number, but out of one heap", MANY);
    many = remove_all(t, &r, MANY);
    if (many > 12 * few) {
        fail_test("as many removals out of a heap %d times as large took %.0f times as long "
                  "(%.1f ms, not %.1f)",
                  MANY / FEW, (double)many / (double)few, (double)many / 1e6, (double)few / 1e6);
    }
    timers_destroy(t);
}
