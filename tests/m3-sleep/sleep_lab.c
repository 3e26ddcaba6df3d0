/* sleep_lab.c - a scheduler, timers, and a virtual clock that is watched. */
#include "sleep_lab.h"

#include "lab_test.h"

/* More than any case needs; a driver that spins gets there in a moment. */
enum { MOST_LOOKS = 1000 * 1000, MOST_SLEEPS = 100 * 1000 };

static long looks_without_sleep;

static int64_t watched_now(lab_clock *self)
{
    looks_without_sleep++;
    if (looks_without_sleep > MOST_LOOKS) {
        fail_test("the run spins: it looks at the clock again and again, and nobody sleeps");
    }
    return ((virtual_clock *)self)->time;
}

static void watched_sleep_until(lab_clock *self, int64_t deadline)
{
    virtual_clock *v = (virtual_clock *)self;

    looks_without_sleep = 0;
    v->sleeps++;
    if (v->sleeps > MOST_SLEEPS) {
        fail_test("the run spins: it has slept %d times", MOST_SLEEPS);
    }
    if (deadline == INT64_MAX) {
        fail_test("the driver would sleep for ever: nobody sleeps who could be woken");
    }
    if (v->time < deadline) {
        v->time = deadline;
    }
}

void open_watched_clock(virtual_clock *v)
{
    looks_without_sleep = 0;
    virtual_clock_init(v, 0);
    v->clock.now = watched_now;
    v->clock.sleep_until = watched_sleep_until;
}

void open_sleep_lab(struct sleep_lab *lab)
{
    open_watched_clock(&lab->v);
    lab->s = scheduler_create(SCHEDULER_FIFO);
    lab->t = timers_create(&lab->v.clock);
    expect_true("scheduler_create gives a scheduler", lab->s != NULL);
    expect_true("timers_create gives timers", lab->t != NULL);
    scheduler_set_driver(lab->s, timers_driver(lab->t));
}

void close_sleep_lab(struct sleep_lab *lab)
{
    expect_int("scheduler_destroy(s)", scheduler_destroy(lab->s), 0);
    timers_destroy(lab->t);
}

void spawn(struct sleep_lab *lab, task *t)
{
    expect_int("scheduler_spawn(s, task)", scheduler_spawn(lab->s, t), 0);
}

task *start(struct sleep_lab *lab, task *t)
{
    expect_int("scheduler_start(s, task)", scheduler_start(lab->s, t), 0);
    return t;
}

void run_all(struct sleep_lab *lab)
{
    expect_int("scheduler_run(s)", scheduler_run(lab->s), 0);
}

struct last {
    task task;
};

static void last_body(co_handle frame)
{
    struct last *self = (struct last *)frame;

    CO_BEGIN(self);
    CO_END(self);
}

void run_ready(struct sleep_lab *lab)
{
    struct last *last = malloc(sizeof *last);
    int64_t before = lab->v.time;

    task_init(&last->task, "last", last_body, NULL);
    expect_int("scheduler_block_on of a task that ends at once",
               scheduler_block_on(lab->s, &last->task, NULL), 0);
    expect_time("the clock after block_on of a task that ends at once", lab->v.time, before,
                before);
}
