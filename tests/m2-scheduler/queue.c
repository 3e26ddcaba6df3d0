/* queue.c - what is ready, and in which order it runs. */
#include "lab_test.h"
#include "workers.h"

#include <errno.h>

LAB_TEST(create_and_destroy)
{
    scheduler *s;

    step("create a scheduler of each kind; run it with nothing to do; destroy it");
    s = new_scheduler(SCHEDULER_FIFO);
    run_to_end(s);
    destroy_scheduler(s);
    s = new_scheduler(SCHEDULER_LIFO);
    run_to_end(s);
    destroy_scheduler(s);
    step("create one with an unknown policy");
    errno = 0;
    expect_true("it is NULL", scheduler_create((scheduler_policy)77) == NULL);
    expect_int("errno", errno, EINVAL);
    expect_int("scheduler_destroy(NULL)", scheduler_destroy(NULL), 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(nothing_runs_before_run)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    task *t = yielder(s, "c", NULL, 0, 0);

    expect_true("no work at the start", !scheduler_has_work(s));
    step("spawn a task, start a task, schedule a task");
    spawn(s, yielder(s, "a", NULL, 0, 0));
    expect_true("there is work", scheduler_has_work(s));
    start(s, t);
    expect_trace("");
    step("run");
    run_to_end(s);
    expect_trace("a-0 c-0");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    t = yielder(s, "d", NULL, 0, 0);
    trace_clear();
    step("schedule a handle, and run");
    expect_int("scheduler_schedule(s, handle)", scheduler_schedule(s, &t->frame), 0);
    expect_trace("");
    run_to_end(s);
    expect_trace("d-0");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    destroy_scheduler(s);
}

LAB_TEST(fifo_takes_turns)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);

    step("spawn A, B and C, which yield twice each, and run");
    spawn(s, yielder(s, "A", NULL, 2, 0));
    spawn(s, yielder(s, "B", NULL, 2, 0));
    spawn(s, yielder(s, "C", NULL, 2, 0));
    run_to_end(s);
    expect_trace("A-0 B-0 C-0 A-1 B-1 C-1 A-2 B-2 C-2");
    destroy_scheduler(s);
}

static void talking_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("Hello from Task%s.", self->name);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    trace("Executing the Task%s.", self->name);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    trace("Task%s is finished.", self->name);
    CO_END(self);
}

static void run_talkers(scheduler_policy policy)
{
    scheduler *s = new_scheduler(policy);

    step("spawn TaskA and TaskB, and run");
    spawn(s, &worker_counted(s, "A", NULL, talking_body)->task);
    spawn(s, &worker_counted(s, "B", NULL, talking_body)->task);
    trace("Start scheduling...");
    run_to_end(s);
    destroy_scheduler(s);
}

LAB_TEST(fifo_program)
{
    run_talkers(SCHEDULER_FIFO);
    expect_trace("Start scheduling... "
                 "Hello from TaskA. Hello from TaskB. "
                 "Executing the TaskA. Executing the TaskB. "
                 "TaskA is finished. TaskB is finished.");
}

LAB_TEST(lifo_program)
{
    run_talkers(SCHEDULER_LIFO);
    expect_trace("Start scheduling... "
                 "Hello from TaskB. Executing the TaskB. TaskB is finished. "
                 "Hello from TaskA. Executing the TaskA. TaskA is finished.");
}

static void child_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("C1");
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    trace("C2");
    CO_END(self);
}

static void family_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    trace("P1");
    spawn(self->scheduler, &worker_counted(self->scheduler, "C", NULL, child_body)->task);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    trace("P2");
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    trace("P3");
    CO_END(self);
}

static void run_family(scheduler_policy policy)
{
    scheduler *s = new_scheduler(policy);

    step("spawn P, which spawns C after its first step, and run");
    spawn(s, &worker_counted(s, "P", NULL, family_body)->task);
    run_to_end(s);
    destroy_scheduler(s);
}

LAB_TEST(children_in_fifo)
{
    run_family(SCHEDULER_FIFO);
    expect_trace("P1 C1 P2 C2 P3");
}

LAB_TEST(children_in_lifo)
{
    run_family(SCHEDULER_LIFO);
    expect_trace("P1 P2 P3 C1 C2");
}

enum { MANY = 20000 };

struct order {
    task task;
    scheduler *scheduler;
    int number;
    int *next; /* the number that must come next */
};

static void order_body(co_handle frame)
{
    struct order *self = (struct order *)frame;

    CO_BEGIN(self);
    expect_int("the number of the coroutine that runs", self->number, *self->next);
    ++*self->next;
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    expect_int("the number of the coroutine that runs", self->number + MANY, *self->next);
    ++*self->next;
    CO_END(self);
}

static void spawn_ordered(scheduler *s, int number, int *next)
{
    struct order *self = calloc(1, sizeof *self);

    expect_true("there is memory", self != NULL);
    self->scheduler = s;
    self->number = number;
    self->next = next;
    spawn(s, task_init(&self->task, "order", order_body, NULL));
}

/* Spawns the others from within, so that the queue grows while it is half used. */
static void spawning_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    for (self->i = MANY / 2; self->i < MANY; self->i++) {
        spawn_ordered(self->scheduler, self->i, (int *)(void *)self->gate);
    }
    CO_END(self);
}

LAB_TEST(queue_grows_in_order)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct worker *spawner = worker_counted(s, "spawner", NULL, spawning_body);
    int next = 0;
    int i;

    step("spawn %d coroutines behind one that spawns the rest of %d", MANY / 2, MANY);
    spawner->gate = (struct gate *)(void *)&next;
    spawn(s, &spawner->task);
    for (i = 0; i < MANY / 2; i++) {
        spawn_ordered(s, i, &next);
    }
    step("run; each must come when its turn is, twice");
    run_to_end(s);
    expect_int("turns", next, 2 * MANY);
    destroy_scheduler(s);
}
