/* sync_lab.c - a scheduler, timers and a virtual clock, and what is done with them all the time. */
#include "sync_lab.h"

#include "lab_test.h"

/* More than from one wake-up to the last that follows from it, in any case. */
enum { TURNS = 40 };

void open_sync_lab(struct sync_lab *lab)
{
    /* clock.c is linked for what is asked of it by its own name, and the next function is wrapped. */
    expect_true("lab_clock_monotonic gives a clock", lab_clock_monotonic() != NULL);
    virtual_clock_init(&lab->v, 0);
    lab->s = scheduler_create(SCHEDULER_FIFO);
    lab->t = timers_create(&lab->v.clock);
    expect_true("scheduler_create gives a scheduler", lab->s != NULL);
    expect_true("timers_create gives timers", lab->t != NULL);
    scheduler_set_driver(lab->s, timers_driver(lab->t));
}

void close_sync_lab(struct sync_lab *lab)
{
    expect_int("scheduler_destroy(s)", scheduler_destroy(lab->s), 0);
    timers_destroy(lab->t);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

void spawn(struct sync_lab *lab, task *t)
{
    expect_int("scheduler_spawn(s, task)", scheduler_spawn(lab->s, t), 0);
}

task *start(struct sync_lab *lab, task *t)
{
    expect_int("scheduler_start(s, task)", scheduler_start(lab->s, t), 0);
    return t;
}

void run_all(struct sync_lab *lab)
{
    expect_int("scheduler_run(s): how many wait for ever", scheduler_run(lab->s), 0);
}

struct last {
    task task;
    scheduler *scheduler;
    int turns;
};

static void last_body(co_handle frame)
{
    struct last *self = (struct last *)frame;

    CO_BEGIN(self);
    for (self->turns = 0; self->turns < TURNS; self->turns++) {
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    CO_END(self);
}

void run_ready(struct sync_lab *lab)
{
    struct last *last = malloc(sizeof *last);
    int64_t before = lab->v.time;

    last->scheduler = lab->s;
    task_init(&last->task, "last", last_body, NULL);
    expect_int("running what is ready", scheduler_block_on(lab->s, &last->task, NULL), 0);
    expect_time("the clock, while something was ready", lab->v.time, before, before);
}

void destroy(task *t)
{
    expect_int("task_destroy(task)", task_destroy(t), 0);
}
