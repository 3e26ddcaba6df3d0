/* when_anys.c - waiting until the first of several things is over. */
#include "actors.h"
#include "lab_test.h"
#include "latch.h"
#include "when.h"

#include <errno.h>

enum { PARTS = 3 };

LAB_TEST(any_first)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[PARTS];
    when w;

    open_sync_lab(&lab);
    step("await sleeps of 30, 10 and 20 ms: the one of 10 ms is the first");
    parts[0].awaiter = sleep_for(lab.t, MILLISECONDS(30));
    parts[1].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    parts[2].awaiter = sleep_for(lab.t, MILLISECONDS(20));
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, PARTS), &o));
    run_all(&lab);
    expect_outcome("the await of when_any", &o, 1);
    expect_int("its value", parts[1].value, 0);
    step("the others are withdrawn: nobody waits for them any more");
    expect_time("when it went on", o.time, MILLISECONDS(10), MILLISECONDS(10));
    expect_time("the clock", lab.v.time, MILLISECONDS(10), MILLISECONDS(10));
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 0);
    close_sync_lab(&lab);
}

LAB_TEST(any_two_at_the_same_time)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[2];
    latch first, second;
    when w;

    open_sync_lab(&lab);
    latch_init(&first, 1);
    latch_init(&second, 1);
    parts[0].awaiter = latch_wait(&first);
    parts[1].awaiter = latch_wait(&second);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_ready(&lab);
    step("two latches open before the coroutine can run: the one that was first counts");
    expect_int("latch_count_down(second, 1)", latch_count_down(&second, 1), 0);
    expect_int("latch_count_down(first, 1)", latch_count_down(&first, 1), 0);
    run_all(&lab);
    expect_outcome("the await of when_any", &o, 1);
    step("the same with two sleeps of one length");
    parts[0].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    parts[1].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_all(&lab);
    expect_outcome("the await of when_any", &o, 0);
    latch_destroy(&first);
    latch_destroy(&second);
    close_sync_lab(&lab);
}

static int begun;

static bool count_beginning(awaiter *a)
{
    (void)a;
    begun++;
    return true;
}

static intptr_t give_nothing(awaiter *a, co_error *thrown)
{
    (void)a;
    (void)thrown;
    return 0;
}

LAB_TEST(any_ready_in_order)
{
    static const awaiter_type counted = {"counted", count_beginning, NULL, give_nothing, NULL,
                                         NULL};
    struct sync_lab lab;
    struct outcome o;
    struct co_frame me;
    when_part parts[PARTS];
    mutex taken, first, second;
    when w;

    open_sync_lab(&lab);
    mutex_init(&taken);
    mutex_init(&first);
    mutex_init(&second);
    expect_int("mutex_try_lock(taken, me)", mutex_try_lock(&taken, &me), 0);
    step("await a mutex that is taken, and two that are free: the first of these is locked, and "
         "only this");
    parts[0].awaiter = mutex_lock(&taken);
    parts[1].awaiter = mutex_lock(&first);
    parts[2].awaiter = mutex_lock(&second);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, PARTS), &o));
    run_all(&lab);
    expect_outcome("the await of when_any", &o, 1);
    expect_int("mutex_try_lock(first, me)", mutex_try_lock(&first, &me), -EBUSY);
    expect_int("mutex_try_lock(second, me)", mutex_try_lock(&second, &me), 0);
    step("nor is one begun behind a mutex that is free, whatever it may be");
    expect_int("mutex_unlock(second, me)", mutex_unlock(&second, &me), 0);
    begun = 0;
    parts[0].awaiter = mutex_lock(&second);
    parts[1].awaiter = (awaiter){.type = &counted};
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_all(&lab);
    expect_outcome("the await of when_any", &o, 0);
    expect_int("how often the second part was begun", begun, 0);
    step("and nobody is in line for the one that is taken");
    expect_int("mutex_unlock(taken, me)", mutex_unlock(&taken, &me), 0);
    expect_int("mutex_try_lock(taken, me)", mutex_try_lock(&taken, &me), 0);
    mutex_destroy(&taken);
    mutex_destroy(&first);
    mutex_destroy(&second);
    close_sync_lab(&lab);
}

LAB_TEST(any_error)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[2];
    task *slow;
    when w;

    open_sync_lab(&lab);
    step("of two tasks, the first to end fails");
    slow = start(&lab, worker(&lab, "slow", MILLISECONDS(20), 1, 0));
    parts[0].awaiter = task_await(slow);
    parts[1].awaiter = task_await(start(&lab, worker(&lab, "fast", MILLISECONDS(10), 0, -EIO)));
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_all(&lab);
    expect_int("the error of when_any", o.error.code, -EIO);
    expect_int("the error of the part", parts[1].error.code, -EIO);
    expect_trace("fast any:EIO slow");
    destroy(slow);
    close_sync_lab(&lab);
}

LAB_TEST(any_of_tasks)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[2];
    task *slow;
    when w;

    open_sync_lab(&lab);
    step("of two started tasks, one works for 10 ms, and the other for 20 ms");
    slow = start(&lab, worker(&lab, "slow", MILLISECONDS(20), 2, 0));
    parts[0].awaiter = task_await(slow);
    parts[1].awaiter = task_await(start(&lab, worker(&lab, "fast", MILLISECONDS(10), 1, 0)));
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_all(&lab);
    expect_outcome("the await of when_any", &o, 1);
    expect_int("the value of the fast one", parts[1].value, 1);
    step("the slow one was not consumed: it went on, and can be awaited again");
    expect_trace("fast any slow");
    spawn(&lab, awaits(&lab, "again", task_await(slow), &o));
    run_all(&lab);
    expect_outcome("the await of the slow one", &o, 2);
    close_sync_lab(&lab);
}

LAB_TEST(any_refuses_what_has_not_begun)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[2];
    task *child;
    when w;

    open_sync_lab(&lab);
    step("await a sleep, or a task that was not started");
    child = worker(&lab, "child", 0, 1, 0);
    parts[0].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    parts[1].awaiter = task_await(child);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_all(&lab);
    expect_outcome("the await of when_any", &o, 1);
    expect_int("the value of the task's part", parts[1].value, -EINVAL);
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 0);
    destroy(child);
    step("of no parts at all, none can be the first");
    spawn(&lab, awaits(&lab, "none", when_any(&w, parts, 0), &o));
    run_all(&lab);
    expect_outcome("the await of none", &o, -EINVAL);
    close_sync_lab(&lab);
}

LAB_TEST(any_destroyed)
{
    struct sync_lab lab;
    struct outcome o;
    struct co_frame me;
    when_part parts[PARTS];
    task *t, *started;
    mutex m;
    when w;

    open_sync_lab(&lab);
    mutex_init(&m);
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    started = start(&lab, worker(&lab, "worker", MILLISECONDS(5), 3, 0));
    step("await a mutex, a sleep, or a task; destroy the coroutine while it waits");
    parts[0].awaiter = mutex_lock(&m);
    parts[1].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    parts[2].awaiter = task_await(started);
    t = start(&lab, awaits(&lab, "any", when_any(&w, parts, PARTS), NULL));
    run_ready(&lab);
    destroy(t);
    expect_int("sleepers: the worker", (intptr_t)timers_count(lab.t), 1);
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), 0);
    expect_int("mutex_try_lock(m, me): nobody is in line", mutex_try_lock(&m, &me), 0);
    step("the task goes on, and is its owner's");
    spawn(&lab, awaits(&lab, "again", task_await(started), &o));
    run_all(&lab);
    expect_outcome("the await of the task", &o, 3);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(any_destroyed_before_it_went_on)
{
    struct sync_lab lab;
    struct outcome o;
    struct co_frame me;
    when_part parts[2];
    mutex m, other;
    task *t;
    when w;

    open_sync_lab(&lab);
    mutex_init(&m);
    mutex_init(&other);
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    expect_int("mutex_try_lock(other, me)", mutex_try_lock(&other, &me), 0);
    parts[0].awaiter = mutex_lock(&other);
    parts[1].awaiter = mutex_lock(&m);
    t = start(&lab, awaits(&lab, "any", when_any(&w, parts, 2), NULL));
    spawn(&lab, awaits(&lab, "B", mutex_lock(&m), &o));
    run_ready(&lab);
    step("a mutex is handed to the coroutine that awaits one of two; that is destroyed before it "
         "has run");
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), 0);
    destroy(t);
    run_ready(&lab);
    expect_outcome("B, who is next in line", &o, 0);
    mutex_destroy(&m);
    mutex_destroy(&other);
    close_sync_lab(&lab);
}

LAB_TEST(any_in_all_in_any)
{
    struct sync_lab lab;
    struct outcome o;
    when_part inner[2], middle[2], outer[2];
    intptr_t item = -1;
    channel c;
    when a, b, w;

    open_sync_lab(&lab);
    channel_init(&c, NULL, 0);
    step("await (an item or 30 ms) and 10 ms, or else 20 ms; the item comes at once");
    inner[0].awaiter = channel_receive(&c, &item);
    inner[1].awaiter = sleep_for(lab.t, MILLISECONDS(30));
    middle[0].awaiter = when_any(&a, inner, 2);
    middle[1].awaiter = sleep_for(lab.t, MILLISECONDS(10));
    outer[0].awaiter = when_all(&b, middle, 2);
    outer[1].awaiter = sleep_for(lab.t, MILLISECONDS(20));
    spawn(&lab, awaits(&lab, "any", when_any(&w, outer, 2), &o));
    run_ready(&lab);
    spawn(&lab, sender("S", &c, 6, 1));
    run_all(&lab);
    expect_outcome("the await of the whole", &o, 0);
    expect_time("when it went on", o.time, MILLISECONDS(10), MILLISECONDS(10));
    expect_int("the item", item, 6);
    expect_int("the value of the inner part: its first", middle[0].value, 0);
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 0);
    channel_destroy(&c);
    close_sync_lab(&lab);
}
