/* delay.c - Step 1: a coroutine sleeps, and others run meanwhile. */
#include "lab_test.h"
#include "sleeper.h"

#include <errno.h>

struct delayer {
    task task;
    struct sleep_lab *lab;
    int id;
    intptr_t slept;
};

static void delayer_body(co_handle frame)
{
    struct delayer *self = (struct delayer *)frame;

    CO_BEGIN(self);
    trace("%d-start", self->id);
    CO_AWAIT(self, self->slept, sleep_for(self->lab->t, MILLISECONDS(50)));
    trace("%d-end", self->id);
    CO_RETURN(self, self->slept);
    CO_END(self);
}

static task *delayer(struct sleep_lab *lab, int id)
{
    struct delayer *self = malloc(sizeof *self);

    self->lab = lab;
    self->id = id;
    return task_init(&self->task, "delayer", delayer_body, NULL);
}

LAB_TEST(sleeps_overlap)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("two tasks sleep for 50 ms each");
    spawn(&lab, delayer(&lab, 1));
    spawn(&lab, delayer(&lab, 2));
    run_all(&lab);
    expect_trace("1-start 2-start 1-end 2-end");
    expect_time("the time that both took together", lab.v.time, MILLISECONDS(50), MILLISECONDS(50));
    close_sleep_lab(&lab);
}

LAB_TEST(shortest_sleep_ends_first)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("three tasks sleep for 50, 20 and 30 ms");
    spawn(&lab, sleeper(&lab, "1", MILLISECONDS(50)));
    spawn(&lab, sleeper(&lab, "2", MILLISECONDS(20)));
    spawn(&lab, sleeper(&lab, "3", MILLISECONDS(30)));
    run_all(&lab);
    expect_trace("2@20 3@30 1@50");

    trace_clear();
    lab.v.time = 0;
    step("three tasks sleep for 300, 200 and 100 ms");
    spawn(&lab, sleeper(&lab, "C", MILLISECONDS(300)));
    spawn(&lab, sleeper(&lab, "B", MILLISECONDS(200)));
    spawn(&lab, sleeper(&lab, "A", MILLISECONDS(100)));
    run_all(&lab);
    expect_trace("A@100 B@200 C@300");
    close_sleep_lab(&lab);
}

LAB_TEST(never_early)
{
    const int64_t durations[] = {1,        999,       MICROSECONDS(500), MILLISECONDS(1),
                                 10500000, 999999999, SECONDS(3600) + 1};
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        int64_t began = lab.v.time = 1234567 * (int64_t)(i + 1);
        int64_t due = began + durations[i];

        step("sleep for %lld ns", (long long)durations[i]);
        spawn(&lab, sleeper(&lab, "x", durations[i]));
        run_all(&lab);
        expect_int("when it went on, in ns", lab.v.time, due);
    }
    close_sleep_lab(&lab);
}

struct printer {
    task task;
    struct sleep_lab *lab;
    char letter;
    int round;
};

static void printer_body(co_handle frame)
{
    struct printer *self = (struct printer *)frame;

    CO_BEGIN(self);
    for (self->round = 0; self->round < 10; self->round++) {
        trace("%c", self->letter);
        CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(100)));
    }
    CO_END(self);
}

LAB_TEST(printers_take_turns)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("three printers print a letter and sleep for 100 ms, ten times");
    for (char letter = 'A'; letter <= 'C'; letter++) {
        struct printer *self = malloc(sizeof *self);

        self->lab = &lab;
        self->letter = letter;
        spawn(&lab, task_init(&self->task, "printer", printer_body, NULL));
    }
    run_all(&lab);
    expect_trace("A B C A B C A B C A B C A B C A B C A B C A B C A B C A B C");
    expect_time("the time of it all", lab.v.time, SECONDS(1), SECONDS(1));
    close_sleep_lab(&lab);
}

struct slow_add {
    task task;
    struct sleep_lab *lab;
    char name;
    int a, b;
    intptr_t sum;
};

static void slow_add_body(co_handle frame)
{
    struct slow_add *self = (struct slow_add *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(300)));
    CO_RETURN(self, self->a + self->b);
    CO_END(self);
}

static task *slow_add(struct sleep_lab *lab, char name, int a, int b, void (*body)(co_handle))
{
    struct slow_add *self = malloc(sizeof *self);

    self->lab = lab;
    self->name = name;
    self->a = a;
    self->b = b;
    return task_init(&self->task, "slow_add", body, NULL);
}

static void worker_body(co_handle frame)
{
    struct slow_add *self = (struct slow_add *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->sum,
             task_await(slow_add(self->lab, self->name, self->a, self->b, slow_add_body)));
    trace("Task%c:%d+%d=%d", self->name, self->a, self->b, (int)self->sum);
    CO_RETURN(self, self->sum);
    CO_END(self);
}

static void three_workers_body(co_handle frame)
{
    struct slow_add *self = (struct slow_add *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->sum, task_await(slow_add(self->lab, 'A', 1, 2, worker_body)));
    CO_AWAIT(self, self->sum, task_await(slow_add(self->lab, 'B', 3, 4, worker_body)));
    CO_AWAIT(self, self->sum, task_await(slow_add(self->lab, 'C', 5, 6, worker_body)));
    CO_END(self);
}

LAB_TEST(awaited_children_may_sleep)
{
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("a task awaits three workers, each of which awaits an addition that sleeps for 300 ms");
    spawn(&lab, slow_add(&lab, 'M', 0, 0, three_workers_body));
    run_all(&lab);
    expect_trace("TaskA:1+2=3 TaskB:3+4=7 TaskC:5+6=11");
    expect_time("the time of it all", lab.v.time, MILLISECONDS(900), MILLISECONDS(900));
    close_sleep_lab(&lab);
}

LAB_TEST(no_executor_no_sleep)
{
    struct sleep_lab lab;
    intptr_t value = 0;
    task *t;

    open_sleep_lab(&lab);
    step("resume a sleeper by hand: it belongs to no scheduler");
    t = sleeper(&lab, "x", MILLISECONDS(10));
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("it has not suspended, for nobody could wake it", task_done(t));
    expect_int("task_get(t, &value)", task_get(t, &value), 0);
    expect_int("the value of its sleep", value, -EINVAL);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    close_sleep_lab(&lab);
}
