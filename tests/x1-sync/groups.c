/* groups.c - a group waits for all of its tasks, and fails with the first that fails. */
#include "actors.h"
#include "lab_test.h"
#include "task_group.h"

#include <errno.h>

/* ---- An owner: a frame with a group in it -------------------------------- */

enum { MOST = 4 };

/* Spawns what it is given, waits for the group, and notes what came of it. */
struct owner {
    task task;
    struct sync_lab *lab;
    task_group group;
    task *works[MOST];
    size_t count, next;
    intptr_t value;
    co_error error;
    struct outcome *out;
};

static void owner_body(co_handle frame)
{
    struct owner *self = (struct owner *)frame;

    CO_BEGIN(self);
    task_group_init(&self->group, self->lab->s);
    while (self->next < self->count) {
        expect_int("task_group_spawn(g, task)",
                   task_group_spawn(&self->group, self->works[self->next++]), 0);
    }
    CO_TRY_AWAIT(self, self->value, self->error, task_group_wait(&self->group));
    *self->out = (struct outcome){true, self->value, self->error, self->lab->v.time};
    trace("%s", "owner");
    CO_END(self);
}

static void owner_release(co_handle frame)
{
    task_group_release(&((struct owner *)frame)->group);
    free(frame);
}

static task *owner(struct sync_lab *lab, struct outcome *o, task *a, task *b, task *c)
{
    struct owner *self = calloc(1, sizeof *self);
    task *const works[] = {a, b, c};

    self->lab = lab;
    self->out = o;
    *o = (struct outcome){.over = false};
    for (size_t i = 0; i < 3 && works[i] != NULL; i++) {
        self->works[self->count++] = works[i];
    }
    return task_init(&self->task, "owner", owner_body, owner_release);
}

/* ---- All is well --------------------------------------------------------- */

LAB_TEST(group_waits)
{
    struct sync_lab lab;
    struct outcome o;

    open_sync_lab(&lab);
    step("a group of three tasks, which work for 30, 10 and 20 ms");
    spawn(&lab, owner(&lab, &o, worker(&lab, "a", MILLISECONDS(30), 1, 0),
                      worker(&lab, "b", MILLISECONDS(10), 2, 0),
                      worker(&lab, "c", MILLISECONDS(20), 3, 0)));
    run_all(&lab);
    expect_trace("b c a owner");
    expect_outcome("the await of task_group_wait(g)", &o, 0);
    expect_time("when it went on", o.time, MILLISECONDS(30), MILLISECONDS(30));
    close_sync_lab(&lab);
}

LAB_TEST(group_of_nobody)
{
    struct sync_lab lab;
    struct outcome o;
    task_group g;
    task *t;

    open_sync_lab(&lab);
    task_group_init(&g, lab.s);
    step("wait for a group without tasks: nobody suspends");
    t = awaits(&lab, "A", task_group_wait(&g), &o);
    expect_int("task_resume(A)", task_resume(t), 0);
    expect_outcome("the await of task_group_wait(g)", &o, 0);
    destroy(t);
    step("and once more, when its only task has ended");
    expect_int("task_group_spawn(g, task)", task_group_spawn(&g, worker(&lab, "w", 0, 1, 0)), 0);
    expect_int("task_group_count(g)", (intptr_t)task_group_count(&g), 1);
    run_all(&lab);
    expect_int("task_group_count(g)", (intptr_t)task_group_count(&g), 0);
    spawn(&lab, awaits(&lab, "B", task_group_wait(&g), &o));
    run_all(&lab);
    expect_outcome("the await of task_group_wait(g)", &o, 0);
    task_group_release(&g);
    task_group_release(&g);
    close_sync_lab(&lab);
}

struct spawner {
    task task;
    struct sync_lab *lab;
    task_group *group;
    int left;
};

static task *spawner(struct sync_lab *lab, task_group *g, int left);

static void spawner_body(co_handle frame)
{
    struct spawner *self = (struct spawner *)frame;

    CO_BEGIN(self);
    trace("%d", self->left);
    if (self->left > 0) {
        expect_int("task_group_spawn(g, task) by one of its tasks",
                   task_group_spawn(self->group, spawner(self->lab, self->group, self->left - 1)),
                   0);
    }
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(1)));
    CO_END(self);
}

static task *spawner(struct sync_lab *lab, task_group *g, int left)
{
    struct spawner *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->group = g;
    self->left = left;
    return task_init(&self->task, "spawner", spawner_body, NULL);
}

LAB_TEST(group_grows_from_inside)
{
    struct sync_lab lab;
    struct outcome o;
    task_group g;

    open_sync_lab(&lab);
    task_group_init(&g, lab.s);
    step("a task of the group spawns another one, that one a third, and so on");
    expect_int("task_group_spawn(g, task)", task_group_spawn(&g, spawner(&lab, &g, 3)), 0);
    spawn(&lab, awaits(&lab, "owner", task_group_wait(&g), &o));
    run_all(&lab);
    expect_trace("3 2 1 0 owner");
    expect_outcome("the await of task_group_wait(g)", &o, 0);
    task_group_release(&g);
    close_sync_lab(&lab);
}

/* ---- One fails ----------------------------------------------------------- */

LAB_TEST(group_first_error)
{
    struct sync_lab lab;
    struct outcome o;

    open_sync_lab(&lab);
    step("of three tasks, the second fails after 10 ms; the others would work for 30 and 20 ms");
    spawn(&lab, owner(&lab, &o, worker(&lab, "a", MILLISECONDS(30), 1, 0),
                      worker(&lab, "b", MILLISECONDS(10), 0, -EIO),
                      worker(&lab, "c", MILLISECONDS(20), 3, 0)));
    run_all(&lab);
    step("its error comes out at the wait, at once; the others have not come to their end");
    expect_trace("b owner");
    expect_true("the wait is over", o.over);
    expect_int("the error of task_group_wait(g)", o.error.code, -EIO);
    expect_string("its text", o.error.what, "the worker failed");
    expect_time("when it went on", o.time, MILLISECONDS(10), MILLISECONDS(10));
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 0);
    expect_int("errors that were lost", (intptr_t)task_lost_errors(), 0);
    close_sync_lab(&lab);
}

struct marked {
    task task;
    struct sync_lab *lab;
    const char *name;
};

static void marked_body(co_handle frame)
{
    struct marked *self = (struct marked *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    trace("%s ran", self->name);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    trace("%s ran on", self->name);
    CO_END(self);
}

static void marked_release(co_handle frame)
{
    trace("-%s", ((struct marked *)frame)->name);
    free(frame);
}

static task *marked(struct sync_lab *lab, const char *name)
{
    struct marked *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->name = name;
    return task_init(&self->task, "marked", marked_body, marked_release);
}

static task *failing(struct sync_lab *lab, int code)
{
    return worker(lab, "fails", 0, 0, code);
}

LAB_TEST(group_cancels_who_is_ready)
{
    struct sync_lab lab;
    task_group g;

    open_sync_lab(&lab);
    task_group_init(&g, lab.s);
    step("a task fails while another one is ready, and a third has not begun");
    expect_int("task_group_spawn(g, fails)", task_group_spawn(&g, failing(&lab, -EIO)), 0);
    expect_int("task_group_spawn(g, a)", task_group_spawn(&g, marked(&lab, "a")), 0);
    expect_int("scheduler_run(s)", scheduler_run(lab.s), 0);
    step("each is released once, and never goes on after the failure");
    expect_true("a was released", trace_text()[0] != '\0');
    expect_int("task_group_count(g)", (intptr_t)task_group_count(&g), 0);
    trace_clear();
    step("what is spawned into a group that has failed is destroyed at once");
    expect_int("task_group_spawn(g, b)", task_group_spawn(&g, marked(&lab, "b")), -ECANCELED);
    expect_trace("-b");
    expect_int("task_group_spawn(g, NULL)", task_group_spawn(&g, NULL), -ENOMEM);
    step("the error that nobody has waited for is reported when the group goes");
    expect_int("errors that were lost", (intptr_t)task_lost_errors(), 0);
    task_group_release(&g);
    expect_int("errors that were lost", (intptr_t)task_lost_errors(), 1);
    task_group_release(&g);
    expect_int("errors that were lost", (intptr_t)task_lost_errors(), 1);
    close_sync_lab(&lab);
}

LAB_TEST(group_second_error_is_reported)
{
    struct sync_lab lab;
    struct outcome o;
    task_group g;

    open_sync_lab(&lab);
    task_group_init(&g, lab.s);
    step("two tasks of a group fail at the same moment");
    expect_int("task_group_spawn(g, fails)", task_group_spawn(&g, failing(&lab, -EIO)), 0);
    expect_int("task_group_spawn(g, fails)", task_group_spawn(&g, failing(&lab, -ENOSPC)), 0);
    spawn(&lab, awaits(&lab, "owner", task_group_wait(&g), &o));
    run_all(&lab);
    step("one error comes out at the wait; the other one is not lost silently");
    expect_int("the error of task_group_wait(g)", o.error.code, -EIO);
    expect_int("errors that were reported", (intptr_t)task_lost_errors(), 1);
    task_group_release(&g);
    expect_int("errors that were reported", (intptr_t)task_lost_errors(), 1);
    close_sync_lab(&lab);
}

/* ---- Refusals ------------------------------------------------------------ */

LAB_TEST(group_refuses)
{
    struct sync_lab lab;
    struct outcome o, p;
    task_group g;
    task *owned, *awaited, *t;

    open_sync_lab(&lab);
    task_group_init(&g, lab.s);
    step("spawn NULL, a task that the scheduler owns, and one that somebody awaits");
    expect_int("task_group_spawn(g, NULL)", task_group_spawn(&g, NULL), -ENOMEM);
    owned = worker(&lab, "owned", MILLISECONDS(1), 0, 0);
    spawn(&lab, owned);
    expect_int("task_group_spawn(g, owned)", task_group_spawn(&g, owned), -EBUSY);
    awaited = worker(&lab, "awaited", MILLISECONDS(1), 0, 0);
    spawn(&lab, awaits(&lab, "parent", task_await(awaited), &p));
    run_ready(&lab);
    expect_int("task_group_spawn(g, awaited)", task_group_spawn(&g, awaited), -EBUSY);
    expect_int("task_group_count(g)", (intptr_t)task_group_count(&g), 0);
    step("one waits who has no executor");
    expect_int("task_group_spawn(g, task)",
               task_group_spawn(&g, worker(&lab, "w", MILLISECONDS(5), 0, 0)), 0);
    t = awaits(&lab, "H", task_group_wait(&g), &p);
    expect_int("task_resume(H)", task_resume(t), 0);
    expect_outcome("the await of task_group_wait(g)", &p, -EINVAL);
    destroy(t);
    step("two wait for one group");
    spawn(&lab, awaits(&lab, "A", task_group_wait(&g), &o));
    spawn(&lab, awaits(&lab, "B", task_group_wait(&g), &p));
    run_ready(&lab);
    expect_waiting("the first", &o);
    expect_outcome("the second", &p, -EBUSY);
    run_all(&lab);
    expect_outcome("the first", &o, 0);
    task_group_release(&g);
    close_sync_lab(&lab);
}

LAB_TEST(group_without_memory)
{
    struct sync_lab lab;
    task_group g;
    unsigned long needed;

    open_sync_lab(&lab);
    task_group_init(&g, lab.s);
    step("spawn with one allocation failing, be it the first, the second, ...");
    needed = 1;
    for (unsigned long n = 1; n <= needed; n++) {
        task *t = marked(&lab, "m");
        int result;

        trace_clear();
        fail_allocation(n);
        result = task_group_spawn(&g, t);
        needed = allocation_count();
        fail_allocation(0);
        if (n <= needed) {
            expect_int("task_group_spawn(g, task)", result, -ENOMEM);
            expect_trace("-m");
            expect_int("task_group_count(g)", (intptr_t)task_group_count(&g), 0);
        }
    }
    task_group_release(&g);
    close_sync_lab(&lab);
}
