/* yielding.c - who yields goes to the end of the queue, and comes back. */
#include "lab_test.h"
#include "workers.h"

#include <stdio.h>
#include <string.h>

static void numbered_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    for (self->i = 0; self->i < 3; self->i++) {
        trace("%s-%d", self->name, self->i);
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    CO_END(self);
}

LAB_TEST(several_tasks)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);

    step("spawn two tasks that yield three times each, and run");
    spawn(s, &worker_counted(s, "1", NULL, numbered_body)->task);
    spawn(s, &worker_counted(s, "2", NULL, numbered_body)->task);
    run_to_end(s);
    expect_trace("1-0 2-0 1-1 2-1 1-2 2-2");
    destroy_scheduler(s);
}

static void counting_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    ++*(int *)(void *)self->gate;
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    ++*(int *)(void *)self->gate;
    CO_END(self);
}

static void spawn_counter(scheduler *s, int *counter)
{
    struct worker *self = worker_counted(s, "counter", NULL, counting_body);

    self->gate = (struct gate *)(void *)counter;
    spawn(s, &self->task);
}

LAB_TEST(run_drains)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    int counter = 0;

    step("spawn two tasks that count, yield, and count again");
    spawn_counter(s, &counter);
    spawn_counter(s, &counter);
    expect_true("there is work", scheduler_has_work(s));
    expect_int("the counter", counter, 0);
    step("run");
    run_to_end(s);
    expect_int("the counter", counter, 4);
    step("run again: nothing is left to do");
    run_to_end(s);
    expect_int("the counter", counter, 4);
    destroy_scheduler(s);
}

LAB_TEST(yield_alone)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};

    step("spawn one task that yields 5 times, and run");
    spawn(s, yielder(s, "a", &tally, 5, 0));
    run_to_end(s);
    expect_trace("a-0 a-1 a-2 a-3 a-4 a-5");
    step("another one that yields 10 times takes 11 resumptions");
    tally.resumed = 0;
    spawn(s, yielder(s, "b", &tally, 10, 0));
    run_to_end(s);
    expect_int("times its body was entered", tally.resumed, 11);
    destroy_scheduler(s);
}

LAB_TEST(yield_does_not_starve)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    const char *b;

    step("spawn A, which yields 1,000 times, then B, and run");
    spawn(s, yielder(s, "A", NULL, 1000, 0));
    spawn(s, yielder(s, "B", NULL, 1, 0));
    run_to_end(s);
    b = strstr(trace_text(), "B-1");
    expect_true("B ended", b != NULL);
    expect_int("where B came in", strncmp(trace_text(), "A-0 B-0 A-1 B-1 A-2 ", 20), 0);
    destroy_scheduler(s);
}

enum { ROUNDS = 10000 };

/* Two of these wake each other through two gates. */
struct player {
    task task;
    struct gate *mine, *other;
    int i;
    const int *c_ran; /* whether the bystander had its turn */
};

static void player_body(co_handle frame)
{
    struct player *self = (struct player *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < ROUNDS; self->i++) {
        if (self->i == 2) {
            expect_int("turns of the bystander by round 2", *self->c_ran, 1);
        }
        if (self->other->waiting != NULL) {
            gate_open(self->other, 1);
        }
        CO_AWAIT(self, self->task.ignored, gate_wait(self->mine));
    }
    if (self->other->waiting != NULL) {
        gate_open(self->other, 1);
    }
    CO_END(self);
}

static task *player(struct gate *mine, struct gate *other, const int *c_ran)
{
    struct player *self = calloc(1, sizeof *self);

    expect_true("there is memory", self != NULL);
    self->mine = mine;
    self->other = other;
    self->c_ran = c_ran;
    return task_init(&self->task, "player", player_body, NULL);
}

static void bystander_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    ++*(int *)(void *)self->gate;
    CO_END(self);
}

LAB_TEST(pair_does_not_starve)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct worker *c = worker_counted(s, "c", NULL, bystander_body);
    struct gate ping = {0};
    struct gate pong = {0};
    int c_ran = 0;

    step("spawn two tasks that wake each other %d times, and a third one, and run", ROUNDS);
    c->gate = (struct gate *)(void *)&c_ran;
    spawn(s, player(&ping, &pong, &c_ran));
    spawn(s, player(&pong, &ping, &c_ran));
    spawn(s, &c->task);
    run_to_end(s);
    expect_int("turns of the bystander", c_ran, 1);
    destroy_scheduler(s);
}
