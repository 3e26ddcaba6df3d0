/* mutex_line.c - who waits for a mutex, and in which order they get it. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>
#include <inttypes.h>

enum { HOLDERS = 5, LONG_LINE = 5000 };

static const char *const digits[HOLDERS] = {"0", "1", "2", "3", "4"};

LAB_TEST(mutex_order)
{
    struct sync_lab lab;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    step("five coroutines each hold the mutex for 10 ms");
    for (int i = 0; i < HOLDERS; i++) {
        spawn(&lab, holder(&lab, digits[i], &m, 0, MILLISECONDS(10)));
    }
    run_all(&lab);
    expect_trace("0 1 2 3 4");
    expect_time("the clock", lab.v.time, MILLISECONDS(50), MILLISECONDS(50));
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(mutex_order_of_arrival)
{
    struct sync_lab lab;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    step("A has it for 50 ms; C comes at 10, B at 20, and D, which was spawned first, at 30 ms");
    spawn(&lab, holder(&lab, "D", &m, MILLISECONDS(30), 0));
    spawn(&lab, holder(&lab, "A", &m, 0, MILLISECONDS(50)));
    spawn(&lab, holder(&lab, "B", &m, MILLISECONDS(20), 0));
    spawn(&lab, holder(&lab, "C", &m, MILLISECONDS(10), MILLISECONDS(5)));
    run_all(&lab);
    expect_trace("A C B D");
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(mutex_beside_sleepers)
{
    struct sync_lab lab;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    step("five coroutines sleep for 100 ms, beside five that each hold the mutex for 10 ms");
    for (int i = 0; i < HOLDERS; i++) {
        spawn(&lab, sleeper(&lab, "z", MILLISECONDS(100)));
        spawn(&lab, holder(&lab, digits[i], &m, 0, MILLISECONDS(10)));
    }
    run_all(&lab);
    expect_trace("0 1 2 3 4 z z z z z");
    expect_time("the clock", lab.v.time, MILLISECONDS(100), MILLISECONDS(100));
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(mutex_direct_handover)
{
    struct sync_lab lab;
    struct outcome first, second;
    task *a, *b;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    a = start(&lab, awaits(&lab, "A", mutex_lock(&m), &first));
    b = start(&lab, awaits(&lab, "B", mutex_lock(&m), &second));
    run_ready(&lab);
    step("A has the mutex, and B waits for it; A unlocks, and tries to get it again before B has "
         "run");
    expect_int("mutex_unlock(m, A)", mutex_unlock(&m, &a->frame), 0);
    expect_waiting("B", &second);
    expect_int("mutex_try_lock(m, A)", mutex_try_lock(&m, &a->frame), -EBUSY);
    expect_int("mutex_unlock(m, A)", mutex_unlock(&m, &a->frame), -EPERM);
    step("it is B's");
    run_ready(&lab);
    expect_outcome("B's await of mutex_lock(m)", &second, 0);
    expect_int("mutex_unlock(m, B)", mutex_unlock(&m, &b->frame), 0);
    destroy(a);
    destroy(b);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(mutex_waiting_allocates_nothing)
{
    struct sync_lab lab;
    struct outcome o[HOLDERS];
    mutex m;
    size_t before;

    open_sync_lab(&lab);
    mutex_init(&m);
    for (int i = 0; i < HOLDERS; i++) {
        spawn(&lab, awaits(&lab, digits[i], mutex_lock(&m), &o[i]));
    }
    step("one locks the mutex, and four wait for it");
    fail_allocation(0);
    before = allocation_count();
    expect_int("scheduler_run(s)", scheduler_run(lab.s), HOLDERS - 1);
    expect_int("allocations", (intptr_t)(allocation_count() - before), 0);
    expect_waiting("the second one", &o[1]);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

/* ---- A long line --------------------------------------------------------- */

struct in_line {
    task task;
    mutex *mutex;
    uintptr_t *stack;
    int *turn;
    int number;
    intptr_t got;
};

static void in_line_body(co_handle frame)
{
    struct in_line *self = (struct in_line *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->got, mutex_lock(self->mutex));
    if (*self->stack == 0) {
        *self->stack = stack_position();
    }
    expect_int("the stack, compared with the first one's",
               (intptr_t)(stack_position() - *self->stack), 0);
    expect_int("whose turn it is", self->number, (*self->turn)++);
    expect_int("mutex_unlock(m, self)", mutex_unlock(self->mutex, frame), 0);
    CO_END(self);
}

static void run_long_line(void *argument)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    struct co_frame me;
    uintptr_t stack = 0;
    int turn = 0;
    mutex m;

    (void)argument;
    mutex_init(&m);
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    for (int i = 0; i < LONG_LINE; i++) {
        struct in_line *next = malloc(sizeof *next);

        *next = (struct in_line){.mutex = &m, .stack = &stack, .turn = &turn, .number = i};
        task_init(&next->task, "in line", in_line_body, NULL);
        expect_int("scheduler_spawn(s, task)", scheduler_spawn(s, &next->task), 0);
    }
    expect_int("scheduler_run(s)", scheduler_run(s), LONG_LINE);
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), 0);
    expect_int("scheduler_run(s)", scheduler_run(s), 0);
    expect_int("how many had it", turn, LONG_LINE);
    mutex_destroy(&m);
    expect_int("scheduler_destroy(s)", scheduler_destroy(s), 0);
}

LAB_TEST(mutex_handover_does_not_nest)
{
    step("%d coroutines wait, and each unlocks as soon as it has the mutex", LONG_LINE);
    run_on_small_stack(run_long_line, NULL);
}
