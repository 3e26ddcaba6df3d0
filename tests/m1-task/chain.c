/* chain.c - awaits and their ends do not nest, however long the chain. */
#include "lab_test.h"
#include "recorder.h"
#include "task.h"

/* Destroying shows nothing of its stack, so that chain is so long that even the smallest frame for each would
 * overflow it. */
enum { RUN_LENGTH = 20000, DESTROY_LENGTH = 100000 };

/* A coroutine that awaits the next of its kind, down to the last. */
struct link {
    task task;
    int below; /* how many come after it */
    intptr_t value;
    uintptr_t *stack; /* where it stood at the first one; 0: not noted */
};

static task *link_create(int below, uintptr_t *stack);

/* Inlined, for the stack is looked at from one function. */
static inline __attribute__((always_inline)) void expect_flat_stack(const struct link *self)
{
    uintptr_t here = stack_position();

    if (*self->stack == 0) {
        *self->stack = here;
    }
    expect_int("the stack, compared with the first coroutine's", (intptr_t)(here - *self->stack),
               0);
}

static void link_body(co_handle frame)
{
    struct link *self = (struct link *)frame;

    CO_BEGIN(self);
    expect_flat_stack(self);
    if (self->below > 0) {
        CO_AWAIT(self, self->value, task_await(link_create(self->below - 1, self->stack)));
    } else {
        CO_AWAIT(self, self->task.ignored, co_suspend_always());
    }
    expect_flat_stack(self);
    CO_RETURN(self, self->value + 1);
    CO_END(self);
}

static task *link_create(int below, uintptr_t *stack)
{
    struct link *self = calloc(1, sizeof *self);

    if (self == NULL) {
        fail_test("the test itself: no memory");
    }
    self->below = below;
    self->stack = stack;
    return task_init(&self->task, "link", link_body, NULL);
}

/* Builds a chain down to its last coroutine, which is suspended. Returns the first. */
static task *build_chain(struct recorder *recorder, int length, uintptr_t *stack, co_handle *last)
{
    task *first = link_create(length - 1, stack);
    co_handle resumed;

    recorder_init(recorder);
    recorder_start(recorder, first);
    while ((resumed = recorder_resume(recorder)) != NULL) {
        *last = resumed;
    }
    return first;
}

static void run_chain(void *argument)
{
    struct recorder recorder;
    uintptr_t stack = 0;
    co_handle last = NULL;
    task *first = build_chain(&recorder, RUN_LENGTH, &stack, &last);
    intptr_t value = 0;

    (void)argument;
    step("resume the last; each end wakes the one above");
    stack = 0; /* the loop below is another place than that of build_chain */
    recorder_start(&recorder, (task *)last);
    while (recorder_resume(&recorder) != NULL) {
    }
    expect_int("task_get of the first", task_get(first, &value), 0);
    expect_int("its value: the length", value, RUN_LENGTH);
    expect_int("task_destroy of the first", task_destroy(first), 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(chain_runs_in_constant_stack)
{
    step("on a small stack, let %d coroutines each await the next", RUN_LENGTH);
    run_on_small_stack(run_chain, NULL);
}

static void destroy_chain(void *argument)
{
    struct recorder recorder;
    uintptr_t stack = 0;
    co_handle last = NULL;
    task *first = build_chain(&recorder, DESTROY_LENGTH, &stack, &last);

    (void)argument;
    expect_int("live blocks", (intptr_t)live_blocks(), DESTROY_LENGTH);
    step("destroy the first");
    expect_int("task_destroy of the first", task_destroy(first), 0);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(chain_dies_in_constant_stack)
{
    step("on a small stack, let %d coroutines each await the next", DESTROY_LENGTH);
    run_on_small_stack(destroy_chain, NULL);
}
