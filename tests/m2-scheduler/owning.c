/* owning.c - a spawned task is the scheduler's, a started one is its starter's. */
#include "lab_test.h"
#include "workers.h"

LAB_TEST(spawned_is_destroyed_at_its_end)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally short_tally = {0};
    struct tally long_tally = {0};
    struct gate gate = {0};

    step("spawn a task that ends at once, one that yields, and one that waits at a gate");
    spawn(s, yielder(s, "a", &short_tally, 0, 0));
    spawn(s, yielder(s, "b", &long_tally, 3, 0));
    spawn(s, gate_waiter(s, "g", NULL, &gate));
    expect_int("scheduler_run(s)", scheduler_run(s), 1);
    expect_int("times the first was released", short_tally.released, 1);
    expect_int("times the second was released", long_tally.released, 1);
    step("open the gate, run, and destroy the scheduler");
    gate_open(&gate, 1);
    run_to_end(s);
    destroy_scheduler(s);
    expect_int("times the first was released", short_tally.released, 1);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(started_stays_its_owners)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *t = yielder(s, "a", &tally, 1, 42);
    task *failing = thrower(s, "b", &tally, 1, 7);
    unsigned long lost = task_lost_errors();
    intptr_t value = 0;

    step("start two tasks, run, and read their results");
    start(s, t);
    start(s, failing);
    run_to_end(s);
    expect_int("times they were released", tally.released, 0);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_get(failing, &value)", task_get(failing, &value), 7);
    step("destroy the scheduler, then the tasks");
    destroy_scheduler(s);
    expect_int("times they were released", tally.released, 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("task_destroy(failing)", task_destroy(failing), 0);
    expect_int("times they were released", tally.released, 2);
    expect_int("errors reported as lost", (intptr_t)(task_lost_errors() - lost), 0);
}

enum { GENERATIONS = 10000, FEW = 64, FEW_BYTES = 64 * 1024 };

/* Spawns the next of its kind and ends. */
struct generation {
    task task;
    scheduler *scheduler;
    int *left;
};

static void generation_body(co_handle frame);

static task *generation(scheduler *s, int *left)
{
    struct generation *self = calloc(1, sizeof *self);

    expect_true("there is memory", self != NULL);
    self->scheduler = s;
    self->left = left;
    return task_init(&self->task, "generation", generation_body, NULL);
}

static void generation_body(co_handle frame)
{
    struct generation *self = (struct generation *)frame;

    CO_BEGIN(self);
    expect_between("live blocks", (int64_t)live_blocks(), 1, FEW);
    if (--*self->left > 0) {
        spawn(self->scheduler, generation(self->scheduler, self->left));
    }
    CO_END(self);
}

LAB_TEST(finished_do_not_pile_up)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    int left = GENERATIONS;

    step("spawn a task that spawns the next one, %d times, and run", GENERATIONS);
    spawn(s, generation(s, &left));
    run_to_end(s);
    expect_int("generations left", left, 0);
    expect_between("live blocks", (int64_t)live_blocks(), 0, FEW);
    expect_between("live bytes", (int64_t)live_bytes(), 0, FEW_BYTES);
    destroy_scheduler(s);
}
