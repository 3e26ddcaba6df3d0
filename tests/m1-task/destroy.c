/* destroy.c - every frame is released exactly once, by its owner. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>

LAB_TEST(destroy_not_begun)
{
    struct tally tally;
    task *t = stepper("a", &tally, 2, 1);

    step("destroy a task that has not begun");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("times it was released", tally.released, 1);
    expect_trace("");
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(destroy_suspended)
{
    struct tally tally;
    task *t = stepper("a", &tally, 2, 1);

    step("resume a task once, so that it is suspended");
    expect_int("task_resume(t)", task_resume(t), 0);
    step("destroy it");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("times it was released", tally.released, 1);
    expect_trace("a0");
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

/* Ends `t`, and destroys it. */
static void expect_released_by_owner(task *t, const struct tally *tally, int code)
{
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("it is done", task_done(t));
    expect_int("times it was released", tally->released, 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 1);
    expect_int("task_get(t, NULL)", task_get(t, NULL), code);
    expect_int("times it was released", tally->released, 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("times it was released", tally->released, 1);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(destroy_finished)
{
    struct tally tally;

    step("a task returns, is read, and is destroyed");
    expect_released_by_owner(stepper("a", &tally, 0, 1), &tally, 0);
    step("a task throws, is read, and is destroyed");
    expect_released_by_owner(thrower("b", &tally, 0, 7), &tally, 7);
}

struct small {
    task task;
    int rounds;
};

static void small_body(co_handle frame)
{
    struct small *self = (struct small *)frame;

    CO_BEGIN(self);
    if (self->rounds > 0) {
        CO_AWAIT(self, self->task.ignored, co_suspend_always());
    }
    CO_END(self);
}

LAB_TEST(destroy_frees_by_default)
{
    int i;

    step("create, resume and destroy 10,000 tasks without a release function");
    for (i = 0; i < 10000; i++) {
        struct small *self = malloc(sizeof *self);
        task *t;

        expect_true("there is memory", self != NULL);
        self->rounds = i % 2;
        t = task_init(&self->task, "small", small_body, NULL);
        if (i % 3 > 0) {
            expect_int("task_resume(t)", task_resume(t), 0);
        }
        expect_int("task_destroy(t)", task_destroy(t), 0);
        expect_int("live blocks", (intptr_t)live_blocks(), 0);
    }
}

static void self_destroying_body(co_handle frame)
{
    struct actor *self = (struct actor *)frame;

    CO_BEGIN(self);
    self->i = task_destroy(&self->task);
    self->value = 42; /* in freed memory, if that was obeyed */
    trace("goes on");
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(destroy_while_running)
{
    struct tally tally;
    struct actor *self = actor_create("self", &tally, self_destroying_body);
    intptr_t value = 0;

    step("resume a task whose body destroys itself");
    expect_int("task_resume(t)", task_resume(&self->task), 0);
    expect_trace("goes on");
    expect_int("times it was released", tally.released, 0);
    expect_int("task_destroy from inside the body", self->i, -EBUSY);
    expect_int("task_get(t, &value)", task_get(&self->task, &value), 0);
    expect_int("value", value, 42);
    step("destroy it from outside");
    expect_int("task_destroy(t)", task_destroy(&self->task), 0);
    expect_int("times it was released", tally.released, 1);
}

LAB_TEST(destroy_by_handle)
{
    struct tally tally;
    co_handle handle = &stepper("a", &tally, 1, 1)->frame;

    step("resume through the handle, then destroy through the handle");
    handle->resume(handle);
    expect_trace("a0");
    expect_true("frame.destroy is set", handle->destroy != NULL);
    handle->destroy(handle);
    expect_int("times it was released", tally.released, 1);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(take_moves_ownership)
{
    struct tally tally;
    task *t = stepper("a", &tally, 0, 42);
    task *slot = t;
    task *taken;

    step("take the task out of a variable");
    taken = task_take(&slot);
    expect_true("task_take gives what was in it", taken == t);
    expect_true("NULL is left in it", slot == NULL);
    step("take it once more, and destroy what is left");
    expect_true("task_take gives NULL", task_take(&slot) == NULL);
    expect_int("task_destroy(slot)", task_destroy(slot), 0);
    expect_int("times it was released", tally.released, 0);
    step("the new owner resumes and destroys it");
    expect_int("task_resume(taken)", task_resume(taken), 0);
    expect_trace("a-end");
    expect_int("task_destroy(taken)", task_destroy(taken), 0);
    expect_int("times it was released", tally.released, 1);
}
