/* out_of_memory.c - memory that runs out is an error code, and loses no coroutine. */
#include "lab_test.h"
#include "workers.h"

#include <errno.h>

enum { WORKERS = 20, MANY = 300 };

static void quiet_child_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    CO_RETURN(self, 1);
    CO_END(self);
}

/* NULL if there is no memory. */
static task *create(scheduler *s, const char *name, struct tally *tally, void (*body)(co_handle))
{
    struct worker *self = worker_create(s, name, body);

    if (self == NULL) {
        return NULL;
    }
    self->tally = tally;
    return &self->task;
}

/* Awaits a child; lives on if that could not be created. */
static void quiet_parent_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    CO_TRY_AWAIT(self, self->value, self->error,
                 task_await(create(self->scheduler, "child", NULL, quiet_child_body)));
    expect_true("the child's value is there, or it could not be created",
                (self->error.code == 0 && self->value == 1) || self->error.code == -ENOMEM);
    ++*(int *)(void *)self->gate;
    CO_END(self);
}

/* Creates, spawns and runs. Returns how many tasks were taken. */
static int spawn_workers(scheduler *s, struct tally *tally, int *ended)
{
    int spawned = 0;
    int created = 0;
    int i;

    for (i = 0; i < WORKERS; i++) {
        task *t = create(s, "parent", tally, quiet_parent_body);
        int result;

        if (t != NULL) {
            ((struct worker *)t)->gate = (struct gate *)(void *)ended;
            created++;
        }
        result = scheduler_spawn(s, t);
        if (result != 0) {
            expect_int("scheduler_spawn(s, t)", result, -ENOMEM);
        }
        spawned += result == 0;
        expect_int("times a task was released: those that could not be queued",
                   (intptr_t)tally->released, created - spawned);
    }
    return spawned;
}

/* The whole scenario, with the n-th allocation failing. */
static void run_scenario(unsigned long n)
{
    struct tally tally = {0};
    scheduler *s;
    int ended = 0;
    int spawned;

    fail_allocation(n);
    errno = 0;
    s = scheduler_create(SCHEDULER_FIFO);
    if (s == NULL) {
        expect_int("errno", errno, ENOMEM);
        return;
    }
    spawned = spawn_workers(s, &tally, &ended);
    expect_between("tasks that were taken", spawned, WORKERS - 1, WORKERS);
    run_to_end(s);
    expect_int("tasks that came to their end", ended, spawned);
    destroy_scheduler(s);
}

LAB_TEST(every_allocation_fails_once)
{
    unsigned long n = 0;

    do {
        n++;
        step("create a scheduler, spawn %d tasks, run; allocation number %lu fails", WORKERS, n);
        run_scenario(n);
        expect_int("live blocks", (intptr_t)live_blocks(), 0);
    } while (allocation_count() >= n);
    expect_between("allocations of the scenario", (int64_t)n, 2 * WORKERS, 1000);
    fail_allocation(0);
}

LAB_TEST(no_room_to_start)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *tasks[MANY];
    int i;

    step("start %d tasks, with no memory for any of them; try again with memory", MANY);
    for (i = 0; i < MANY; i++) {
        int result;

        tasks[i] = create(s, "t", &tally, quiet_child_body);
        fail_allocation(1);
        result = scheduler_start(s, tasks[i]);
        fail_allocation(0);
        if (result != 0) {
            expect_int("scheduler_start(s, t)", result, -ENOMEM);
            expect_int("times it was released: it is still its owner's", tally.released, 0);
            expect_int("scheduler_start(s, t), with memory", scheduler_start(s, tasks[i]), 0);
        }
    }
    run_to_end(s);
    expect_int("resumptions", tally.resumed, 2 * MANY);
    for (i = 0; i < MANY; i++) {
        intptr_t value = 0;

        expect_int("task_get(t, &value)", task_get(tasks[i], &value), 0);
        expect_int("value", value, 1);
        expect_int("task_destroy(t)", task_destroy(tasks[i]), 0);
    }
    destroy_scheduler(s);
}

LAB_TEST(no_room_to_block_on)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *t = create(s, "t", &tally, quiet_child_body);
    intptr_t value = 5;
    int result;

    step("block on a task, with no memory to queue it");
    fail_allocation(1);
    result = scheduler_block_on(s, t, &value);
    fail_allocation(0);
    if (result != 0) {
        expect_int("scheduler_block_on", result, -ENOMEM);
        expect_int("value, which must stay as it was", value, 5);
        expect_int("times it was released: it is still its owner's", tally.released, 0);
        expect_int("scheduler_block_on, with memory", scheduler_block_on(s, t, &value), 0);
    }
    expect_int("value", value, 1);
    expect_int("times it was released", tally.released, 1);
    destroy_scheduler(s);
}

/* Awaits its child, and waking needs no memory: there is none from the await on. */
static void frugal_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    fail_allocation(1);
    CO_AWAIT(self, self->value, task_await(task_take(&self->child)));
    fail_allocation(1);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    ++*(int *)(void *)self->gate;
    CO_END(self);
}

LAB_TEST(waking_needs_no_memory)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct gate gates[MANY] = {{0}};
    int ended = 0;
    int i;

    step("spawn %d parents, each with a child that waits at a gate; run after each, so that the "
         "queue "
         "is never long; memory runs out at each await",
         MANY);
    for (i = 0; i < MANY; i++) {
        task *t;
        struct worker *self;

        fail_allocation(0);
        t = create(s, "p", NULL, frugal_body);
        self = (struct worker *)t;
        expect_true("there is memory", t != NULL);
        self->child = gate_waiter(s, "c", NULL, &gates[i]);
        self->gate = (struct gate *)(void *)&ended;
        spawn(s, t);
        expect_int("scheduler_run(s)", scheduler_run(s), 2 * (i + 1));
    }
    step("wake them all at once, without memory, and run");
    for (i = 0; i < MANY; i++) {
        fail_allocation(1);
        gate_open(&gates[i], 1);
    }
    run_to_end(s);
    fail_allocation(0);
    expect_int("parents that came to their end", ended, MANY);
    destroy_scheduler(s);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}
