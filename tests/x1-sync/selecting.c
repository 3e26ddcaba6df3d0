/* selecting.c - of several operations on channels, or several locks, exactly one happens. */
#include "actors.h"
#include "lab_test.h"
#include "semaphore.h"
#include "when.h"

#include <errno.h>

LAB_TEST(select_takes_one_item)
{
    struct sync_lab lab;
    struct outcome o, other;
    when_part parts[2];
    intptr_t first = -1, second = -1, slot[1];
    channel a, b;
    when w;

    open_sync_lab(&lab);
    channel_init(&a, NULL, 0);
    channel_init(&b, slot, 1);
    parts[0].awaiter = channel_receive(&a, &first);
    parts[1].awaiter = channel_receive(&b, &second);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_ready(&lab);
    step("one waits for an item from a or from b; both are sent before it can run");
    spawn(&lab, awaits(&lab, "B", channel_send(&b, 2), NULL));
    spawn(&lab, awaits(&lab, "A", channel_send(&a, 1), &other));
    run_ready(&lab);
    expect_outcome("the await of when_any: b was first", &o, 1);
    expect_int("the item of b", second, 2);
    step("the item of a was not taken: its sender still waits, for somebody who wants it");
    expect_int("the item of a", first, -1);
    expect_waiting("the sender into a", &other);
    spawn(&lab, awaits(&lab, "R", channel_receive(&a, &first), &o));
    run_all(&lab);
    expect_int("the item of a", first, 1);
    channel_destroy(&a);
    channel_destroy(&b);
    close_sync_lab(&lab);
}

LAB_TEST(select_sends_one_item)
{
    struct sync_lab lab;
    struct outcome o, waits;
    when_part parts[2];
    intptr_t first = -1, second = -1;
    channel a, b;
    when w;

    open_sync_lab(&lab);
    channel_init(&a, NULL, 0);
    channel_init(&b, NULL, 0);
    parts[0].awaiter = channel_send(&a, 1);
    parts[1].awaiter = channel_send(&b, 2);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_ready(&lab);
    step("one waits to send into a or into b; two come to receive before it can run");
    spawn(&lab, awaits(&lab, "A", channel_receive(&a, &first), NULL));
    spawn(&lab, awaits(&lab, "B", channel_receive(&b, &second), &waits));
    run_ready(&lab);
    expect_outcome("the await of when_any: a was first", &o, 0);
    expect_int("what came out of a", first, 1);
    expect_waiting("who receives from b", &waits);
    channel_destroy(&a);
    channel_destroy(&b);
    close_sync_lab(&lab);
}

LAB_TEST(select_ready_channel)
{
    struct sync_lab lab;
    struct outcome o;
    when_part parts[3];
    intptr_t slots[2][1], first = -1, second = -1;
    channel full, filled, closed;
    when w;

    open_sync_lab(&lab);
    channel_init(&full, slots[0], 1);
    channel_init(&filled, slots[1], 1);
    channel_init(&closed, NULL, 0);
    expect_int("channel_close(closed)", channel_close(&closed), 0);
    spawn(&lab, sender("S", &full, 1, 1));
    spawn(&lab, sender("S", &filled, 2, 1));
    run_all(&lab);
    step("send into a full channel, receive from one with an item, or from one that is closed");
    parts[0].awaiter = channel_send(&full, 3);
    parts[1].awaiter = channel_receive(&filled, &first);
    parts[2].awaiter = channel_receive(&closed, &second);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 3), &o));
    run_all(&lab);
    expect_outcome("the await of when_any: the first that need not wait", &o, 1);
    expect_int("the item", first, 2);
    step("once more: now only the closed one need not wait");
    parts[0].awaiter = channel_send(&full, 3);
    parts[1].awaiter = channel_receive(&filled, &first);
    parts[2].awaiter = channel_receive(&closed, &second);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 3), &o));
    run_all(&lab);
    expect_outcome("the await of when_any", &o, 2);
    expect_int("the value of the part", parts[2].value, -EPIPE);
    step("what is in the full channel was sent before");
    spawn(&lab, awaits(&lab, "R", channel_receive(&full, &first), &o));
    run_all(&lab);
    expect_int("the item", first, 1);
    expect_int("channel_close(full)", channel_close(&full), 0);
    spawn(&lab, awaits(&lab, "R", channel_receive(&full, &first), &o));
    run_all(&lab);
    expect_outcome("one more receive", &o, -EPIPE);
    channel_destroy(&full);
    channel_destroy(&filled);
    channel_destroy(&closed);
    close_sync_lab(&lab);
}

LAB_TEST(select_does_not_meet_itself)
{
    struct sync_lab lab;
    struct outcome o, other;
    when_part parts[2];
    intptr_t mine = -1, theirs = -1;
    channel c;
    when w;

    open_sync_lab(&lab);
    channel_init(&c, NULL, 0);
    step("one waits to send into a channel, or to receive from it: that does not make a pair");
    parts[0].awaiter = channel_send(&c, 1);
    parts[1].awaiter = channel_receive(&c, &mine);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_ready(&lab);
    expect_waiting("the await of when_any", &o);
    step("another one receives");
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &theirs), &other));
    run_all(&lab);
    expect_outcome("the await of when_any: it has sent", &o, 0);
    expect_int("what the other one has received", theirs, 1);
    expect_int("what it has received", mine, -1);
    step("once more, and another one sends");
    parts[0].awaiter = channel_send(&c, 1);
    parts[1].awaiter = channel_receive(&c, &mine);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_ready(&lab);
    spawn(&lab, awaits(&lab, "S", channel_send(&c, 8), &other));
    run_all(&lab);
    expect_outcome("the await of when_any: it has received", &o, 1);
    expect_int("what it has received", mine, 8);
    step("the other way round: one waits to receive, or to send");
    mine = -1;
    parts[0].awaiter = channel_receive(&c, &mine);
    parts[1].awaiter = channel_send(&c, 2);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    run_ready(&lab);
    expect_waiting("the await of when_any", &o);
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &theirs), &other));
    run_all(&lab);
    expect_outcome("the await of when_any: it has sent", &o, 1);
    expect_int("what the other one has received", theirs, 2);
    expect_int("what it has received", mine, -1);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(select_with_select)
{
    struct sync_lab lab;
    struct outcome left, right;
    when_part in[2], out[2];
    intptr_t first = -1, second = -1;
    channel a, b;
    when v, w;

    open_sync_lab(&lab);
    channel_init(&a, NULL, 0);
    channel_init(&b, NULL, 0);
    step("one sends into a or b, another one receives from b or a: they meet in one of them");
    out[0].awaiter = channel_send(&a, 1);
    out[1].awaiter = channel_send(&b, 2);
    in[0].awaiter = channel_receive(&b, &second);
    in[1].awaiter = channel_receive(&a, &first);
    spawn(&lab, awaits(&lab, "out", when_any(&v, out, 2), &left));
    spawn(&lab, awaits(&lab, "in", when_any(&w, in, 2), &right));
    run_all(&lab);
    expect_outcome("the await of the one that sends: into b", &left, 1);
    expect_outcome("the await of the one that receives: from b", &right, 0);
    expect_int("what came from b", second, 2);
    expect_int("what came from a", first, -1);
    channel_destroy(&a);
    channel_destroy(&b);
    close_sync_lab(&lab);
}

LAB_TEST(select_lock_goes_to_the_next)
{
    struct sync_lab lab;
    struct outcome o, next, last;
    struct co_frame me;
    when_part parts[2];
    mutex a, b, unused;
    task *t;
    when w;

    open_sync_lab(&lab);
    mutex_init(&a);
    mutex_init(&b);
    mutex_init(&unused);
    expect_int("mutex_try_lock(a, me)", mutex_try_lock(&a, &me), 0);
    expect_int("mutex_try_lock(b, me)", mutex_try_lock(&b, &me), 0);
    parts[0].awaiter = mutex_lock(&a);
    parts[1].awaiter = mutex_lock(&b);
    t = start(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    spawn(&lab, awaits(&lab, "B", mutex_lock(&b), &next));
    run_ready(&lab);
    step("one waits for mutex a or b, and B for b; both are unlocked before anybody can run");
    expect_int("mutex_unlock(a, me)", mutex_unlock(&a, &me), 0);
    expect_int("mutex_unlock(b, me)", mutex_unlock(&b, &me), 0);
    spawn(&lab, awaits(&lab, "C", mutex_lock(&unused), &last));
    run_ready(&lab);
    expect_outcome("the await of when_any: a", &o, 0);
    step("b went to B at once, and so B comes before C, which was ready later");
    expect_trace("any B C");
    expect_outcome("B's await", &next, 0);
    expect_int("mutex_unlock(a, the first)", mutex_unlock(&a, &t->frame), 0);
    expect_int("mutex_unlock(b, the first)", mutex_unlock(&b, &t->frame), -EPERM);
    destroy(t);
    mutex_destroy(&a);
    mutex_destroy(&b);
    mutex_destroy(&unused);
    close_sync_lab(&lab);
}

LAB_TEST(select_permits_go_to_the_next)
{
    struct sync_lab lab;
    struct outcome o, next;
    when_part parts[2];
    semaphore a, b;
    when w;

    open_sync_lab(&lab);
    semaphore_init(&a, 0);
    semaphore_init(&b, 0);
    parts[0].awaiter = semaphore_acquire(&a, 1);
    parts[1].awaiter = semaphore_acquire(&b, 5);
    spawn(&lab, awaits(&lab, "any", when_any(&w, parts, 2), &o));
    spawn(&lab, awaits(&lab, "B", semaphore_acquire(&b, 1), &next));
    run_ready(&lab);
    step("one waits for a permit of a or 5 of b, and B, behind it, for one of b; a is released, "
         "and 1 of b");
    expect_int("semaphore_release(b, 1)", semaphore_release(&b, 1), 0);
    expect_int("semaphore_release(a, 1)", semaphore_release(&a, 1), 0);
    run_all(&lab);
    expect_outcome("the await of when_any: a", &o, 0);
    step("it no longer stands in B's way");
    expect_outcome("B's await", &next, 0);
    expect_int("semaphore_try_acquire(b, 1)", semaphore_try_acquire(&b, 1), -EAGAIN);
    semaphore_destroy(&a);
    semaphore_destroy(&b);
    close_sync_lab(&lab);
}
