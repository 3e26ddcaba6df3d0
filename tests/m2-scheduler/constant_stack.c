/* constant_stack.c - neither many awaits nor a long chain of them needs more stack than one. */
#include "lab_test.h"
#include "workers.h"

/* Destroying shows nothing of its stack, so that chain is so long that even the smallest frame for each would
 * overflow it. */
enum { AWAITS = 20000, CHAIN = 20000, LONG_CHAIN = 100000 };

/* Where the stack stood when a body was entered: the same for all. */
static void expect_flat_stack(uintptr_t *first)
{
    uintptr_t here = stack_position();

    if (*first == 0) {
        *first = here;
    }
    expect_int("the stack in a body, compared with the first time", (intptr_t)(here - *first), 0);
}

struct step {
    task task;
    uintptr_t *stack;
    int left; /* a looper's: children to come; a link's: links below */
    intptr_t value, sum;
    struct gate *gate; /* the last link waits here */
};

static task *step_create(const char *name, const struct step *model, void (*body)(co_handle))
{
    struct step *self = malloc(sizeof *self);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    *self = *model;
    return task_init(&self->task, name, body, NULL);
}

static void child_body(co_handle frame)
{
    struct step *self = (struct step *)frame;

    CO_BEGIN(self);
    expect_flat_stack(self->stack);
    CO_RETURN(self, 1);
    CO_END(self);
}

static void looper_body(co_handle frame)
{
    struct step *self = (struct step *)frame;

    CO_BEGIN(self);
    for (; self->left > 0; self->left--) {
        CO_AWAIT(self, self->value, task_await(step_create("child", self, child_body)));
        self->sum += self->value;
    }
    CO_RETURN(self, self->sum);
    CO_END(self);
}

static void run_looper(void *argument)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    uintptr_t stack = 0;
    struct step model = {.stack = &stack, .left = AWAITS};
    intptr_t value = 0;

    (void)argument;
    expect_int("scheduler_block_on",
               scheduler_block_on(s, step_create("looper", &model, looper_body), &value), 0);
    expect_int("value", value, AWAITS);
    destroy_scheduler(s);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(many_awaits_in_constant_stack)
{
    step("on a small stack, await %d children that end at once, one after the other", AWAITS);
    run_on_small_stack(run_looper, NULL);
}

static void link_body(co_handle frame)
{
    struct step *self = (struct step *)frame;

    CO_BEGIN(self);
    expect_flat_stack(self->stack);
    if (self->left > 0) {
        self->left--;
        CO_AWAIT(self, self->value, task_await(step_create("link", self, link_body)));
    } else {
        CO_AWAIT(self, self->task.ignored, gate_wait(self->gate));
    }
    CO_RETURN(self, self->value + 1);
    CO_END(self);
}

/* Runs a chain until its last coroutine waits at the gate. */
static void build_chain(scheduler *s, const struct step *model)
{
    spawn(s, step_create("link", model, link_body));
    expect_int("scheduler_run(s)", scheduler_run(s), model->left + 1);
    expect_true("the last one waits at the gate", model->gate->waiting != NULL);
}

static void run_chain(void *argument)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct gate gate = {0};
    uintptr_t stack = 0;
    const struct step model = {.stack = &stack, .left = CHAIN - 1, .gate = &gate};

    (void)argument;
    build_chain(s, &model);
    step("let the last one end");
    gate_open(&gate, 0);
    run_to_end(s);
    destroy_scheduler(s);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(long_chain_runs)
{
    step("on a small stack, run %d coroutines that each await the next", CHAIN);
    run_on_small_stack(run_chain, NULL);
}

static void destroy_chain(void *argument)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct gate gate = {0};
    uintptr_t stack = 0;
    const struct step model = {.stack = &stack, .left = LONG_CHAIN - 1, .gate = &gate};

    (void)argument;
    build_chain(s, &model);
    step("destroy the scheduler");
    destroy_scheduler(s);
    expect_int("times await_cancel was called at the gate", gate.cancelled, 1);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(long_chain_is_destroyed)
{
    step("on a small stack, run %d coroutines that each await the next", LONG_CHAIN);
    run_on_small_stack(destroy_chain, NULL);
}
