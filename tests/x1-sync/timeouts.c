/* timeouts.c - waiting, but not for ever. */
#include "actors.h"
#include "lab_test.h"
#include "latch.h"
#include "timeout.h"

#include <errno.h>

LAB_TEST(timeout_in_time)
{
    struct sync_lab lab;
    struct outcome o;
    timeout t;

    open_sync_lab(&lab);
    step("await a task that works for 10 ms and returns 7, but no longer than 50 ms");
    spawn(&lab, awaits(&lab, "A",
                       with_timeout(
                           &t, task_await(start(&lab, worker(&lab, "w", MILLISECONDS(10), 7, 0))),
                           sleep_for(lab.t, MILLISECONDS(50))),
                       &o));
    run_all(&lab);
    expect_outcome("the await of with_timeout", &o, 7);
    step("no timer is left behind");
    expect_time("the clock", lab.v.time, MILLISECONDS(10), MILLISECONDS(10));
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 0);
    close_sync_lab(&lab);
}

LAB_TEST(timeout_too_late)
{
    struct sync_lab lab;
    struct outcome o;
    latch l;
    timeout t;

    open_sync_lab(&lab);
    latch_init(&l, 1);
    step("await a latch that nobody opens, but no longer than 50 ms");
    spawn(&lab, awaits(&lab, "A",
                       with_timeout(&t, latch_wait(&l), sleep_for(lab.t, MILLISECONDS(50))), &o));
    run_all(&lab);
    expect_outcome("the await of with_timeout", &o, -ETIMEDOUT);
    expect_time("when it went on", o.time, MILLISECONDS(50), MILLISECONDS(50));
    latch_destroy(&l);
    close_sync_lab(&lab);
}

LAB_TEST(timeout_leaves_the_line)
{
    struct sync_lab lab;
    struct outcome o, next;
    struct co_frame me;
    timeout t;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    step("A waits for a mutex for 10 ms, and gives up; B waits behind it");
    spawn(&lab, awaits(&lab, "A",
                       with_timeout(&t, mutex_lock(&m), sleep_for(lab.t, MILLISECONDS(10))), &o));
    spawn(&lab, awaits(&lab, "B", mutex_lock(&m), &next));
    expect_int("how many wait in the end", scheduler_run(lab.s), 1);
    expect_outcome("the await of with_timeout", &o, -ETIMEDOUT);
    step("the mutex is unlocked: B gets it");
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), 0);
    run_all(&lab);
    expect_outcome("B's await", &next, 0);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

/* ---- Both at the same time ----------------------------------------------- */

struct late_sender {
    task task;
    struct sync_lab *lab;
    channel *channel;
    intptr_t sent;
};

static void late_sender_body(co_handle frame)
{
    struct late_sender *self = (struct late_sender *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(10)));
    trace("%s", "sends");
    CO_AWAIT(self, self->sent, channel_send(self->channel, 9));
    CO_END(self);
}

static task *late_sender(struct sync_lab *lab, channel *c)
{
    struct late_sender *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->channel = c;
    return task_init(&self->task, "late sender", late_sender_body, NULL);
}

LAB_TEST(timeout_loses_no_item)
{
    struct sync_lab lab;
    struct outcome o, got;
    intptr_t item = -1;
    channel c;
    timeout t;

    open_sync_lab(&lab);
    channel_init(&c, NULL, 0);
    step("an item is sent at the very moment at which the receiver's time is up, and before it has "
         "run");
    spawn(&lab, late_sender(&lab, &c));
    spawn(&lab,
          awaits(&lab, "A",
                 with_timeout(&t, channel_receive(&c, &item), sleep_for(lab.t, MILLISECONDS(10))),
                 &o));
    expect_int("how many wait in the end: the sender", scheduler_run(lab.s), 1);
    expect_trace("sends A:ETIMEDOUT");
    expect_int("the item", item, -1);
    step("it is there for the next one");
    spawn(&lab, awaits(&lab, "B", channel_receive(&c, &item), &got));
    run_all(&lab);
    expect_int("the item", item, 9);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(timeout_of_nothing)
{
    struct sync_lab lab;
    struct outcome o;
    timeout t;
    task *a;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    step("with a time-out of 0, A locks a free mutex, and B does not wait for it");
    a = start(&lab, awaits(&lab, "A", with_timeout(&t, mutex_lock(&m), sleep_for(lab.t, 0)), &o));
    run_ready(&lab);
    expect_outcome("A's await of with_timeout", &o, 0);
    spawn(&lab, awaits(&lab, "B", with_timeout(&t, mutex_lock(&m), sleep_for(lab.t, 0)), &o));
    run_ready(&lab);
    expect_outcome("B's await of with_timeout", &o, -ETIMEDOUT);
    step("it is A's, and nobody is in line");
    expect_int("mutex_unlock(m, A)", mutex_unlock(&m, &a->frame), 0);
    expect_int("mutex_try_lock(m, A)", mutex_try_lock(&m, &a->frame), 0);
    destroy(a);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(timeout_of_a_failing_task)
{
    struct sync_lab lab;
    struct outcome o;
    task *slow;
    timeout t;

    open_sync_lab(&lab);
    step("a task fails within its time");
    spawn(&lab,
          awaits(&lab, "A",
                 with_timeout(&t,
                              task_await(start(&lab, worker(&lab, "w", MILLISECONDS(10), 0, -EIO))),
                              sleep_for(lab.t, MILLISECONDS(50))),
                 &o));
    run_all(&lab);
    expect_int("the error of with_timeout", o.error.code, -EIO);
    step("another one takes too long: it is its owner's, who destroys it");
    slow = start(&lab, worker(&lab, "slow", SECONDS(9), 0, 0));
    spawn(&lab, awaits(&lab, "B",
                       with_timeout(&t, task_await(slow), sleep_for(lab.t, MILLISECONDS(10))), &o));
    run_ready(&lab);
    expect_waiting("the await of with_timeout", &o);
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 2);
    lab.v.time += MILLISECONDS(10);
    run_ready(&lab);
    expect_outcome("the await of with_timeout", &o, -ETIMEDOUT);
    destroy(slow);
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 0);
    close_sync_lab(&lab);
}

LAB_TEST(timeout_destroyed)
{
    struct sync_lab lab;
    struct co_frame me;
    task *waiting;
    timeout t;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    step("destroy a coroutine that waits for a mutex, but not for ever");
    waiting = start(
        &lab, awaits(&lab, "A",
                     with_timeout(&t, mutex_lock(&m), sleep_for(lab.t, MILLISECONDS(10))), NULL));
    run_ready(&lab);
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 1);
    destroy(waiting);
    expect_int("sleepers", (intptr_t)timers_count(lab.t), 0);
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), 0);
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(timeout_without_memory)
{
    struct sync_lab lab;
    struct outcome o;
    latch l;
    timeout t;

    open_sync_lab(&lab);
    latch_init(&l, 1);
    step("the heap of sleepers has no room, and no memory for more");
    spawn(&lab, awaits(&lab, "A",
                       with_timeout(&t, latch_wait(&l), sleep_for(lab.t, MILLISECONDS(10))), &o));
    fail_allocation(1);
    run_all(&lab);
    if (allocation_count() > 0) {
        expect_outcome("the await of with_timeout", &o, -ENOMEM);
    } else {
        expect_outcome("the await of with_timeout, whose sleep needed no memory", &o, -ETIMEDOUT);
    }
    fail_allocation(0);
    close_sync_lab(&lab);
    latch_destroy(&l);
}
