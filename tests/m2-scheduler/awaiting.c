/* awaiting.c - parents and children on a scheduler. */
#include "lab_test.h"
#include "workers.h"

#include <errno.h>
#include <stdio.h>

struct addition {
    task task;
    scheduler *scheduler;
    const char *name;
    int a, b;
    intptr_t sum;
};

static void addition_body(co_handle frame)
{
    struct addition *self = (struct addition *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    CO_RETURN(self, self->a + self->b);
    CO_END(self);
}

static task *addition(scheduler *s, const char *name, int a, int b, void (*body)(co_handle))
{
    struct addition *self = calloc(1, sizeof *self);

    expect_true("there is memory", self != NULL);
    self->scheduler = s;
    self->name = name;
    self->a = a;
    self->b = b;
    return task_init(&self->task, name, body, NULL);
}

static void printing_body(co_handle frame)
{
    struct addition *self = (struct addition *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->sum,
             task_await(addition(self->scheduler, "worker", self->a, self->b, addition_body)));
    trace("%s: %d + %d = %ld", self->name, self->a, self->b, (long)self->sum);
    CO_RETURN(self, self->sum);
    CO_END(self);
}

LAB_TEST(await_a_worker)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    task *t = addition(s, "Result", 1, 2, printing_body);
    intptr_t value = 0;

    step("run a task that awaits worker(1, 2)");
    start(s, t);
    run_to_end(s);
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    trace("Result from coroutine: %ld", (long)value);
    expect_trace("Result: 1 + 2 = 3 Result from coroutine: 3");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    destroy_scheduler(s);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

struct main_task {
    task task;
    task *children[3];
    int i;
    intptr_t value, sum;
};

static void main_body(co_handle frame)
{
    struct main_task *self = (struct main_task *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < 3; self->i++) {
        CO_AWAIT(self, self->value, task_await(task_take(&self->children[self->i])));
        self->sum += self->value;
    }
    CO_RETURN(self, self->sum);
    CO_END(self);
}

LAB_TEST(await_three_workers)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct main_task *self = calloc(1, sizeof *self);
    intptr_t value = 0;

    expect_true("there is memory", self != NULL);
    step("a task awaits three workers, each of which awaits an addition");
    self->children[0] = addition(s, "TaskA", 1, 2, printing_body);
    self->children[1] = addition(s, "TaskB", 3, 4, printing_body);
    self->children[2] = addition(s, "TaskC", 5, 6, printing_body);
    start(s, task_init(&self->task, "main", main_body, NULL));
    run_to_end(s);
    expect_trace("TaskA: 1 + 2 = 3 TaskB: 3 + 4 = 7 TaskC: 5 + 6 = 11");
    expect_int("task_get(t, &value)", task_get(&self->task, &value), 0);
    expect_int("value", value, 21);
    expect_int("task_destroy(t)", task_destroy(&self->task), 0);
    destroy_scheduler(s);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(await_queues_the_child)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);

    step("p awaits c, which has not begun, while o is ready: o comes first");
    spawn(s, parent(s, "p", NULL, yielder(s, "c", NULL, 0, 42)));
    spawn(s, yielder(s, "o", NULL, 0, 0));
    run_to_end(s);
    expect_trace("p-awaits o-0 c-0 p-got-42");
    destroy_scheduler(s);
}

LAB_TEST(await_a_finished_child)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally c_tally = {0};
    struct tally p_tally = {0};
    task *c = yielder(s, "c", &c_tally, 0, 42);
    task *p = parent(s, "p", &p_tally, c);
    intptr_t value = 0;

    step("run c to its end; then run p, which awaits it");
    start(s, c);
    run_to_end(s);
    start(s, p);
    run_to_end(s);
    expect_trace("c-0 p-awaits p-got-42");
    expect_int("times c was entered", c_tally.resumed, 1);
    expect_int("times p was entered", p_tally.resumed, 1);
    expect_int("times c was released", c_tally.released, 1);
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("value", value, 42);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    destroy_scheduler(s);
}

/* Starts the child, goes on, and awaits it later. */
static void parallel_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("1");
    start(self->scheduler, self->child);
    trace("2");
    for (self->i = 0; self->i < self->steps; self->i++) {
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    CO_AWAIT(self, self->value, task_await(task_take(&self->child)));
    trace("3");
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(start_now_await_later)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    int yields;

    for (yields = 0; yields < 4; yields++) {
        struct worker *self = worker_counted(s, "p", NULL, parallel_body);

        step("start a child, yield %d times, await it", yields);
        trace_clear();
        tally = (struct tally){0};
        self->steps = yields;
        self->child = yielder(s, "b", &tally, 1, 42);
        start(s, &self->task);
        run_to_end(s);
        expect_trace("1 2 b-0 b-1 3");
        expect_int("value", self->value, 42);
        expect_int("times the child was entered", tally.resumed, 2);
        expect_int("times the child was released", tally.released, 1);
        expect_int("task_destroy(p)", task_destroy(&self->task), 0);
    }
    destroy_scheduler(s);
}

static void self_awaiting_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    CO_TRY_AWAIT(self, self->value, self->error, task_await(&self->task));
    trace("caught-%d", self->error.code == -EDEADLK);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    trace("goes-on");
    CO_RETURN(self, 1);
    CO_END(self);
}

LAB_TEST(await_itself)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};

    step("run a task that awaits itself");
    spawn(s, &worker_counted(s, "self", &tally, self_awaiting_body)->task);
    run_to_end(s);
    expect_trace("caught-1 goes-on");
    expect_int("times it was released", tally.released, 1);
    destroy_scheduler(s);
}

LAB_TEST(await_a_spawned_task)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    task *c = yielder(s, "c", &tally, 1, 42);
    task *p = catcher(s, "p", NULL, c);
    intptr_t value = 0;

    step("await a task that was spawned, and so belongs to the scheduler");
    start(s, p);
    spawn(s, c);
    run_to_end(s);
    expect_int("task_get(p, &value)", task_get(p, &value), 0);
    expect_int("what the await threw", value, -EBUSY);
    expect_int("times c was released", tally.released, 1);
    expect_int("task_destroy(p)", task_destroy(p), 0);
    destroy_scheduler(s);
}
