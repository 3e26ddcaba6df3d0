/* when_alls.c - waiting until all of several things are over. */
#include "actors.h"
#include "lab_test.h"
#include "latch.h"
#include "when.h"

#include <errno.h>

enum { PARTS = 3 };

LAB_TEST(all_values)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[PARTS];
    intptr_t item = 0;
    channel c;
    when w;

    open_sync_lab(&lab);
    channel_init(&c, NULL, 0);
    step("await a sleep of 30 ms, an item that comes at 20 ms, and a sleep of 10 ms, all at once");
    parts[0].awaiter = sleep_for(lab.t, MILLISECONDS(30));
    parts[1].awaiter = channel_receive(&c, &item);
    parts[2].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    spawn(&lab, awaits(&lab, "all", when_all(&w, parts, PARTS), &o));
    spawn(&lab, sleeper(&lab, "20", MILLISECONDS(20)));
    run_ready(&lab);
    expect_waiting("the await of when_all", &o);
    spawn(&lab, sender("S", &c, 4, 1));
    run_all(&lab);
    expect_outcome("the await of when_all", &o, 0);
    expect_time("when it went on", o.time, MILLISECONDS(30), MILLISECONDS(30));
    expect_int("the item", item, 4);
    for (int i = 0; i < PARTS; i++) {
        expect_int("the value of a part", parts[i].value, 0);
        expect_int("the error of a part", parts[i].error.code, 0);
    }
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(all_at_once)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[PARTS];
    latch open;
    when w;

    open_sync_lab(&lab);
    latch_init(&open, 0);
    step("await three parts that need not wait; then none at all");
    for (int i = 0; i < PARTS; i++) {
        parts[i].awaiter = latch_wait(&open);
    }
    spawn(&lab, awaits(&lab, "three", when_all(&w, parts, PARTS), &o));
    run_all(&lab);
    expect_outcome("the await of three", &o, 0);
    spawn(&lab, awaits(&lab, "none", when_all(&w, parts, 0), &o));
    run_all(&lab);
    expect_outcome("the await of none", &o, 0);
    latch_destroy(&open);
    close_sync_lab(&lab);
}

LAB_TEST(all_tasks)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[PARTS];
    when w;

    open_sync_lab(&lab);
    step("three tasks are started, which work for 30, 10 and 20 ms; await all of them");
    parts[0].awaiter = task_await(start(&lab, worker(&lab, "a", MILLISECONDS(30), 1, 0)));
    parts[1].awaiter = task_await(start(&lab, worker(&lab, "b", MILLISECONDS(10), 2, 0)));
    parts[2].awaiter = task_await(start(&lab, worker(&lab, "c", MILLISECONDS(20), 3, 0)));
    spawn(&lab, awaits(&lab, "all", when_all(&w, parts, PARTS), &o));
    run_all(&lab);
    expect_trace("b c a all");
    for (int i = 0; i < PARTS; i++) {
        expect_int("the value of a task", parts[i].value, i + 1);
    }
    close_sync_lab(&lab);
}

LAB_TEST(all_errors)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[PARTS];
    when w;

    open_sync_lab(&lab);
    step("of three tasks, the last fails at 10 ms, and the second at 20 ms; the first takes 30 ms");
    parts[0].awaiter = task_await(start(&lab, worker(&lab, "a", MILLISECONDS(30), 1, 0)));
    parts[1].awaiter = task_await(start(&lab, worker(&lab, "b", MILLISECONDS(20), 0, -EIO)));
    parts[2].awaiter = task_await(start(&lab, worker(&lab, "c", MILLISECONDS(10), 0, -ENOSPC)));
    spawn(&lab, awaits(&lab, "all", when_all(&w, parts, PARTS), &o));
    run_all(&lab);
    step("all come to their end; the error is that of the second one");
    expect_trace("c b a all:EIO");
    expect_time("when it went on", o.time, MILLISECONDS(30), MILLISECONDS(30));
    expect_int("the value of the first", parts[0].value, 1);
    expect_int("the error of the second", parts[1].error.code, -EIO);
    expect_int("the error of the third", parts[2].error.code, -ENOSPC);
    expect_int("errors that were lost", (intptr_t)task_lost_errors(), 0);
    close_sync_lab(&lab);
}

LAB_TEST(all_destroyed)
{
    struct sync_lab lab;
    struct co_frame me;
    when_part parts[PARTS];
    mutex taken, free_one;
    task *t;
    when w;

    open_sync_lab(&lab);
    mutex_init(&taken);
    mutex_init(&free_one);
    expect_int("mutex_try_lock(taken, me)", mutex_try_lock(&taken, &me), 0);
    step("a coroutine awaits a mutex that is free, one that is taken, and a sleep, all at once");
    parts[0].awaiter = mutex_lock(&free_one);
    parts[1].awaiter = mutex_lock(&taken);
    parts[2].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    t = start(&lab, awaits(&lab, "all", when_all(&w, parts, PARTS), NULL));
    run_ready(&lab);
    expect_int("mutex_try_lock(free, me): it has it", mutex_try_lock(&free_one, &me), -EBUSY);
    step("destroy it: it waits for nothing any more, and what it had is free again");
    destroy(t);
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 0);
    expect_int("mutex_try_lock(free, me)", mutex_try_lock(&free_one, &me), 0);
    expect_int("mutex_unlock(taken, me)", mutex_unlock(&taken, &me), 0);
    expect_int("mutex_try_lock(taken, me)", mutex_try_lock(&taken, &me), 0);
    mutex_destroy(&taken);
    mutex_destroy(&free_one);
    close_sync_lab(&lab);
}

LAB_TEST(all_refuses_what_has_not_begun)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[2];
    task *child;
    when w;

    open_sync_lab(&lab);
    step(
        "await a sleep, and a task that was not started: it would need a place in the ready queue");
    child = worker(&lab, "child", 0, 1, 0);
    parts[0].awaiter = task_await(child);
    parts[1].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    spawn(&lab, awaits(&lab, "all", when_all(&w, parts, 2), &o));
    run_all(&lab);
    expect_outcome("the await of when_all", &o, 0);
    expect_int("the value of the task's part", parts[0].value, -EINVAL);
    expect_trace("all");
    step("the task is as it was: it can be started and awaited now");
    spawn(&lab, awaits(&lab, "parent", task_await(child), &o));
    run_all(&lab);
    expect_outcome("the await of the task", &o, 1);
    close_sync_lab(&lab);
}

LAB_TEST(all_without_executor)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[1];
    latch l;
    task *t;
    when w;

    open_sync_lab(&lab);
    latch_init(&l, 1);
    step("a coroutine that is resumed by hand awaits a whole");
    parts[0].awaiter = latch_wait(&l);
    t = awaits(&lab, "H", when_all(&w, parts, 1), &o);
    expect_int("task_resume(H)", task_resume(t), 0);
    expect_outcome("the await of when_all", &o, -EINVAL);
    destroy(t);
    latch_destroy(&l);
    close_sync_lab(&lab);
}
