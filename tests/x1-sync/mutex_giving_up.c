/* mutex_giving_up.c - coroutines that do not wait for a mutex to the end. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>
#include <string.h>

enum { WAITERS = 4 };

/* A mutex that `owner` has, and four that wait for it. */
struct line {
    struct sync_lab lab;
    mutex m;
    struct co_frame owner;
    struct outcome outcome[WAITERS];
    task *waiter[WAITERS];
};

static void open_line(struct line *line)
{
    static const char *const names[WAITERS] = {"A", "B", "C", "D"};

    open_sync_lab(&line->lab);
    mutex_init(&line->m);
    expect_int("mutex_try_lock(m, owner)", mutex_try_lock(&line->m, &line->owner), 0);
    for (int i = 0; i < WAITERS; i++) {
        line->waiter[i] = start(
            &line->lab, awaits(&line->lab, names[i], mutex_lock(&line->m), &line->outcome[i]));
    }
    run_ready(&line->lab);
}

static void close_line(struct line *line)
{
    for (int i = 0; i < WAITERS; i++) {
        destroy(line->waiter[i]);
    }
    mutex_destroy(&line->m);
    close_sync_lab(&line->lab);
}

static void give_up(struct line *line, int i)
{
    destroy(task_take(&line->waiter[i]));
}

/* Whoever has it unlocks, to the end of the line. */
static void pass_on(struct line *line)
{
    expect_int("mutex_unlock(m, owner)", mutex_unlock(&line->m, &line->owner), 0);
    for (int i = 0; i < WAITERS; i++) {
        run_ready(&line->lab);
        if (line->waiter[i] != NULL) {
            expect_int("mutex_unlock by the next one",
                       mutex_unlock(&line->m, &line->waiter[i]->frame), 0);
        }
    }
    expect_int("mutex_try_lock(m, owner): it is free", mutex_try_lock(&line->m, &line->owner), 0);
}

LAB_TEST(mutex_waiter_destroyed)
{
    static const char *const left[WAITERS] = {"B C D", "A C D", "A B D", "A B C"};

    for (int i = 0; i < WAITERS; i++) {
        struct line line;

        open_line(&line);
        step("of the four that wait, destroy number %d", i + 1);
        give_up(&line, i);
        step("the others get the mutex, in their order");
        trace_clear();
        pass_on(&line);
        expect_trace(left[i]);
        close_line(&line);
    }
}

LAB_TEST(mutex_all_waiters_destroyed)
{
    struct line line;
    struct outcome o;

    open_line(&line);
    step("destroy all that wait, from both ends of the line");
    give_up(&line, 0);
    give_up(&line, 3);
    give_up(&line, 1);
    give_up(&line, 2);
    step("another one comes, and gets the mutex when the owner unlocks it");
    line.waiter[0] = start(&line.lab, awaits(&line.lab, "E", mutex_lock(&line.m), &o));
    run_ready(&line.lab);
    expect_waiting("E", &o);
    expect_int("mutex_unlock(m, owner)", mutex_unlock(&line.m, &line.owner), 0);
    run_ready(&line.lab);
    expect_outcome("E's await", &o, 0);
    close_line(&line);
}

LAB_TEST(mutex_new_owner_destroyed)
{
    struct line line;

    open_line(&line);
    step("unlock: the mutex is handed to A, which is ready, and has not run yet");
    expect_int("mutex_unlock(m, owner)", mutex_unlock(&line.m, &line.owner), 0);
    step("destroy A; and then B, which has got it instead");
    give_up(&line, 0);
    give_up(&line, 1);
    step("C gets it");
    run_ready(&line.lab);
    expect_outcome("C's await", &line.outcome[2], 0);
    expect_waiting("D", &line.outcome[3]);
    expect_int("mutex_unlock(m, C)", mutex_unlock(&line.m, &line.waiter[2]->frame), 0);
    step("the last one in the line is destroyed when it has got it: the mutex is free");
    give_up(&line, 3);
    expect_int("mutex_try_lock(m, owner)", mutex_try_lock(&line.m, &line.owner), 0);
    close_line(&line);
}

LAB_TEST(mutex_destroyed)
{
    struct line line;
    task *a;

    open_line(&line);
    step("destroy the mutex while four wait for it");
    mutex_destroy(&line.m);
    a = task_take(&line.waiter[0]);
    step("A is destroyed before it went on; the mutex' memory is used for something else");
    memset(&line.m, 0xA5, sizeof line.m);
    destroy(a);
    run_ready(&line.lab);
    for (int i = 1; i < WAITERS; i++) {
        expect_outcome("the await of mutex_lock(m)", &line.outcome[i], -ECANCELED);
    }
    mutex_init(&line.m);
    close_line(&line);
}

LAB_TEST(mutex_outlives_the_scheduler)
{
    struct line line;

    open_line(&line);
    step("the scheduler is destroyed: A, B, C and D are their owner's, and still wait");
    expect_int("scheduler_destroy(s)", scheduler_destroy(line.lab.s), 0);
    for (int i = 0; i < WAITERS; i++) {
        expect_waiting("one of them", &line.outcome[i]);
    }
    step("unlock: A has it, but nobody can resume it any more; destroy all of them");
    expect_int("mutex_unlock(m, owner)", mutex_unlock(&line.m, &line.owner), 0);
    for (int i = 0; i < WAITERS; i++) {
        give_up(&line, i);
    }
    step("the mutex has come back");
    expect_int("mutex_try_lock(m, owner)", mutex_try_lock(&line.m, &line.owner), 0);
    line.lab.s = scheduler_create(SCHEDULER_FIFO);
    close_line(&line);
}
