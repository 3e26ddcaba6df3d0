/* group_ends.c - nothing outlives its group. */
#include "actors.h"
#include "lab_test.h"
#include "task_group.h"

#include <errno.h>

enum { DEPTH = 20000 };

/* ---- A member with a past ------------------------------------------------ */

/* Waits for ever; when it is released, it says so, and unlocks a mutex that its owner has in its frame. */
struct resident {
    task task;
    struct sync_lab *lab;
    const char *name;
    mutex_guard guard;
    mutex *mutex;
    intptr_t got;
};

static void resident_body(co_handle frame)
{
    struct resident *self = (struct resident *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->got, mutex_guard_lock(&self->guard, self->mutex));
    CO_AWAIT(self, self->task.ignored, co_suspend_always());
    CO_END(self);
}

static void resident_release(co_handle frame)
{
    struct resident *self = (struct resident *)frame;

    trace("-%s", self->name);
    mutex_guard_release(&self->guard);
    free(self);
}

static task *resident(struct sync_lab *lab, const char *name, mutex *m)
{
    struct resident *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->name = name;
    self->mutex = m;
    return task_init(&self->task, "resident", resident_body, resident_release);
}

/* Has the mutex and the group of three residents in its frame. */
struct house {
    task task;
    struct sync_lab *lab;
    mutex mutex;
    task_group group;
    const char *first, *second;
    intptr_t value;
};

static void house_body(co_handle frame)
{
    struct house *self = (struct house *)frame;

    CO_BEGIN(self);
    mutex_init(&self->mutex);
    task_group_init(&self->group, self->lab->s);
    (void)task_group_spawn(&self->group, resident(self->lab, self->first, &self->mutex));
    (void)task_group_spawn(&self->group, resident(self->lab, self->second, &self->mutex));
    CO_AWAIT(self, self->value, task_group_wait(&self->group));
    trace("%s", "the house went on");
    CO_RETURN(self, self->value);
    CO_END(self);
}

static void house_release(co_handle frame)
{
    struct house *self = (struct house *)frame;

    task_group_release(&self->group);
    trace("%s", "-house");
    free(self);
}

static struct house *house(struct sync_lab *lab, const char *first, const char *second)
{
    struct house *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->first = first;
    self->second = second;
    task_init(&self->task, "house", house_body, house_release);
    return self;
}

LAB_TEST(group_goes_with_its_frame)
{
    struct sync_lab lab;
    struct house *h;

    open_sync_lab(&lab);
    step("two tasks of a group share a mutex in their owner's frame: one has it, the other one "
         "waits");
    h = house(&lab, "a", "b");
    start(&lab, &h->task);
    run_ready(&lab);
    expect_int("task_group_count(g)", (intptr_t)task_group_count(&h->group), 2);
    step("destroy the owner: first its tasks go, then its frame");
    destroy(&h->task);
    expect_trace("-a -b -house");
    run_all(&lab);
    close_sync_lab(&lab);
}

LAB_TEST(group_goes_before_it_began)
{
    struct sync_lab lab;
    mutex m;
    task_group g, never_used = {.scheduler = NULL};

    open_sync_lab(&lab);
    mutex_init(&m);
    task_group_init(&g, lab.s);
    step("a group goes before its task was ever resumed");
    expect_int("task_group_spawn(g, a)", task_group_spawn(&g, resident(&lab, "a", &m)), 0);
    task_group_release(&g);
    expect_trace("-a");
    run_all(&lab);
    step("a group that was never used");
    task_group_release(&never_used);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(group_goes_with_the_scheduler)
{
    struct sync_lab lab;
    struct house *kept;

    open_sync_lab(&lab);
    step("destroy the scheduler while a group's tasks wait; one owner was spawned, one started");
    spawn(&lab, &house(&lab, "a", "b")->task);
    kept = house(&lab, "c", "d");
    start(&lab, &kept->task);
    run_ready(&lab);
    expect_int("scheduler_destroy(s)", scheduler_destroy(lab.s), 0);
    expect_int("task_group_count of the owner that is left",
               (intptr_t)task_group_count(&kept->group), 0);
    destroy(&kept->task);
    lab.s = NULL;
    timers_destroy(lab.t);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

/* ---- Cancelling ---------------------------------------------------------- */

LAB_TEST(group_cancel)
{
    struct sync_lab lab;
    struct house *h;
    intptr_t value = 0;

    open_sync_lab(&lab);
    h = house(&lab, "a", "b");
    start(&lab, &h->task);
    run_ready(&lab);
    step("cancel a group that somebody waits for");
    expect_int("task_group_cancel(g)", task_group_cancel(&h->group), 0);
    expect_trace("-a -b");
    run_all(&lab);
    expect_trace("-a -b the house went on");
    expect_int("task_get(house, &value)", task_get(&h->task, &value), 0);
    expect_int("the await of task_group_wait(g)", value, -ECANCELED);
    destroy(&h->task);
    close_sync_lab(&lab);
}

struct rebel {
    task task;
    struct sync_lab *lab;
    task_group *group;
};

static void rebel_body(co_handle frame)
{
    struct rebel *self = (struct rebel *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(1)));
    expect_int("task_group_cancel(g) by one of its tasks", task_group_cancel(self->group), -EBUSY);
    trace("%s", "rebel");
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(1)));
    trace("%s", "rebel's end");
    CO_END(self);
}

static task *rebel(struct sync_lab *lab, task_group *g)
{
    struct rebel *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->group = g;
    return task_init(&self->task, "rebel", rebel_body, NULL);
}

LAB_TEST(group_cancel_from_inside)
{
    struct sync_lab lab;
    struct outcome o;
    task_group g;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    task_group_init(&g, lab.s);
    step("of three tasks, the second cancels the group: it is running, and goes on to its end");
    expect_int("task_group_spawn(g, a)", task_group_spawn(&g, resident(&lab, "a", &m)), 0);
    expect_int("task_group_spawn(g, rebel)", task_group_spawn(&g, rebel(&lab, &g)), 0);
    expect_int("task_group_spawn(g, b)", task_group_spawn(&g, resident(&lab, "b", &m)), 0);
    spawn(&lab, awaits(&lab, "owner", task_group_wait(&g), &o));
    run_all(&lab);
    expect_trace("-a -b rebel rebel's end owner:ECANCELED");
    task_group_release(&g);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

/* A task with a group of its own, in which is one that cancels the outer group. */
struct middle {
    task task;
    struct sync_lab *lab;
    task_group *outer;
    task_group group;
    mutex *mutex;
    intptr_t value;
};

static void middle_body(co_handle frame)
{
    struct middle *self = (struct middle *)frame;

    CO_BEGIN(self);
    task_group_init(&self->group, self->lab->s);
    (void)task_group_spawn(&self->group, rebel(self->lab, self->outer));
    (void)task_group_spawn(&self->group, resident(self->lab, "inner", self->mutex));
    CO_AWAIT(self, self->value, task_group_wait(&self->group));
    trace("middle:%ld", (long)self->value);
    CO_END(self);
}

static void middle_release(co_handle frame)
{
    task_group_release(&((struct middle *)frame)->group);
    free(frame);
}

LAB_TEST(group_cancel_from_further_inside)
{
    struct sync_lab lab;
    struct middle *mid;
    struct outcome o;
    task_group g;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    task_group_init(&g, lab.s);
    mid = calloc(1, sizeof *mid);
    mid->lab = &lab;
    mid->outer = &g;
    mid->mutex = &m;
    task_init(&mid->task, "middle", middle_body, middle_release);
    step(
        "a task of an inner group cancels the outer one: who has it below goes on to the end, too");
    expect_int("task_group_spawn(g, a)", task_group_spawn(&g, resident(&lab, "a", &m)), 0);
    expect_int("task_group_spawn(g, middle)", task_group_spawn(&g, &mid->task), 0);
    expect_int("task_group_spawn(g, b)", task_group_spawn(&g, resident(&lab, "b", &m)), 0);
    spawn(&lab, awaits(&lab, "owner", task_group_wait(&g), &o));
    run_all(&lab);
    expect_trace("-a -inner -b rebel rebel's end middle:-125 owner:ECANCELED");
    task_group_release(&g);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

/* ---- Deep ---------------------------------------------------------------- */

/* Each has a group with the next one in it. */
struct nest {
    task task;
    struct sync_lab *lab;
    task_group group;
    int left;
    int *released;
};

static task *nest(struct sync_lab *lab, int left, int *released);

static void nest_body(co_handle frame)
{
    struct nest *self = (struct nest *)frame;

    CO_BEGIN(self);
    if (self->left == 0) {
        CO_AWAIT(self, self->task.ignored, co_suspend_always());
    }
    task_group_init(&self->group, self->lab->s);
    (void)task_group_spawn(&self->group, nest(self->lab, self->left - 1, self->released));
    CO_AWAIT(self, self->task.ignored, task_group_wait(&self->group));
    CO_END(self);
}

static void nest_release(co_handle frame)
{
    struct nest *self = (struct nest *)frame;

    ++*self->released;
    task_group_release(&self->group);
    free(self);
}

static task *nest(struct sync_lab *lab, int left, int *released)
{
    struct nest *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->left = left;
    self->released = released;
    return task_init(&self->task, "nest", nest_body, nest_release);
}

static void run_nest(void *argument)
{
    struct sync_lab lab;
    int released = 0;
    task *outermost;

    (void)argument;
    open_sync_lab(&lab);
    outermost = nest(&lab, DEPTH, &released);
    start(&lab, outermost);
    expect_true("scheduler_run(s): all of them wait", scheduler_run(lab.s) >= DEPTH);
    destroy(outermost);
    expect_int("how many were released", released, DEPTH + 1);
    close_sync_lab(&lab);
}

LAB_TEST(groups_in_groups_need_no_stack)
{
    step("%d groups in each other, each awaited by a task of the one around it; destroy the "
         "outermost",
         DEPTH);
    run_on_small_stack(run_nest, NULL);
}
