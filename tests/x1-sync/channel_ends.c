/* channel_ends.c - channels that are closed or destroyed, and coroutines that give up. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>
#include <string.h>

LAB_TEST(channel_close_drains)
{
    struct sync_lab lab;
    intptr_t slots[3];
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, 3);
    step("send 1, 2 and 3, close the channel, and receive until it says that it is closed");
    spawn(&lab, sender("S", &c, 1, 3));
    run_all(&lab);
    expect_int("channel_close(c)", channel_close(&c), 0);
    spawn(&lab, receiver("R", &c));
    run_all(&lab);
    expect_trace("S! R:1 R:2 R:3 R:closed");
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_close_wakes_receivers)
{
    struct sync_lab lab;
    struct outcome a, b;
    intptr_t slots[1], item = -1;
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, 1);
    step("close a channel from which two wait to receive");
    spawn(&lab, awaits(&lab, "A", channel_receive(&c, &item), &a));
    spawn(&lab, awaits(&lab, "B", channel_receive(&c, &item), &b));
    run_ready(&lab);
    expect_int("channel_close(c)", channel_close(&c), 0);
    run_all(&lab);
    expect_outcome("A's await", &a, -EPIPE);
    expect_outcome("B's await", &b, -EPIPE);
    expect_int("the item, which nobody has sent", item, -1);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_close_wakes_senders)
{
    struct sync_lab lab;
    struct outcome late, got;
    intptr_t slots[1], item = -1;
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, 1);
    step("close a channel that is full, and into which one more waits to send");
    spawn(&lab, awaits(&lab, "1", channel_send(&c, 1), NULL));
    spawn(&lab, awaits(&lab, "2", channel_send(&c, 2), &late));
    run_ready(&lab);
    expect_int("channel_close(c)", channel_close(&c), 0);
    run_all(&lab);
    expect_outcome("the await of channel_send(c, 2)", &late, -EPIPE);
    step("what is in it can be received, and nothing else");
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &got));
    run_all(&lab);
    expect_int("the item", item, 1);
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &got));
    run_all(&lab);
    expect_outcome("one more channel_receive(c, &item)", &got, -EPIPE);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_send_after_close)
{
    struct sync_lab lab;
    struct outcome o;
    intptr_t slots[1];
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, 1);
    step("close an empty channel, twice; then send");
    expect_int("channel_close(c)", channel_close(&c), 0);
    expect_int("channel_close(c) again", channel_close(&c), -EPIPE);
    spawn(&lab, awaits(&lab, "S", channel_send(&c, 1), &o));
    run_all(&lab);
    expect_outcome("the await of channel_send(c, 1)", &o, -EPIPE);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_sender_destroyed)
{
    struct sync_lab lab;
    task *second;
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, NULL, 0);
    step("A, B and C wait to send 1, 2 and 3; destroy B");
    spawn(&lab, awaits(&lab, "A", channel_send(&c, 1), NULL));
    second = start(&lab, awaits(&lab, "B", channel_send(&c, 2), NULL));
    spawn(&lab, awaits(&lab, "C", channel_send(&c, 3), NULL));
    run_ready(&lab);
    destroy(second);
    step("2 was never sent");
    spawn(&lab, receiver("R", &c));
    run_ready(&lab);
    expect_int("channel_close(c)", channel_close(&c), 0);
    run_all(&lab);
    expect_true("R has received 1 and 3, and not 2", strstr(trace_text(), "R:1") != NULL &&
                                                         strstr(trace_text(), "R:2") == NULL &&
                                                         strstr(trace_text(), "R:3") != NULL);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_receiver_destroyed)
{
    struct sync_lab lab;
    struct outcome o;
    intptr_t slots[1], first = -1, second = -1;
    task *a;
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, 1);
    a = start(&lab, awaits(&lab, "A", channel_receive(&c, &first), NULL));
    spawn(&lab, awaits(&lab, "B", channel_receive(&c, &second), &o));
    run_ready(&lab);
    step("A and B wait to receive; destroy A, and send one item");
    destroy(a);
    spawn(&lab, awaits(&lab, "S", channel_send(&c, 9), NULL));
    run_all(&lab);
    expect_outcome("B's await", &o, 0);
    expect_int("B's item", second, 9);
    expect_int("A's item", first, -1);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_destroyed)
{
    struct sync_lab lab;
    struct outcome sending, receiving, o;
    intptr_t item = -1;
    task *s, *r, *t;
    channel full, empty;

    open_sync_lab(&lab);
    channel_init(&full, NULL, 0);
    channel_init(&empty, NULL, 0);
    step("who has no executor can neither wait to send nor to receive");
    t = awaits(&lab, "H", channel_send(&full, 1), &o);
    expect_int("task_resume(H)", task_resume(t), 0);
    expect_outcome("the await of channel_send(c, 1)", &o, -EINVAL);
    destroy(t);
    t = awaits(&lab, "H", channel_receive(&full, &item), &o);
    expect_int("task_resume(H)", task_resume(t), 0);
    expect_outcome("the await of channel_receive(c, &item)", &o, -EINVAL);
    destroy(t);
    step("destroy one channel into which two wait to send, and one from which two wait to receive");
    s = start(&lab, awaits(&lab, "S", channel_send(&full, 1), NULL));
    spawn(&lab, awaits(&lab, "T", channel_send(&full, 2), &sending));
    r = start(&lab, awaits(&lab, "R", channel_receive(&empty, &item), NULL));
    spawn(&lab, awaits(&lab, "Q", channel_receive(&empty, &item), &receiving));
    run_ready(&lab);
    channel_destroy(&full);
    channel_destroy(&empty);
    memset(&full, 0xA5, sizeof full);
    memset(&empty, 0xA5, sizeof empty);
    step("the first of each is destroyed before it went on");
    destroy(s);
    destroy(r);
    run_ready(&lab);
    expect_outcome("T's await", &sending, -ECANCELED);
    expect_outcome("Q's await", &receiving, -ECANCELED);
    close_sync_lab(&lab);
}
