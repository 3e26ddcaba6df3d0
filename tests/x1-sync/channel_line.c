/* channel_line.c - items come out as they went in, and who cannot go on waits. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>

enum { ROOM = 3 };

LAB_TEST(channel_order)
{
    struct sync_lab lab;
    intptr_t slots[ROOM];
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, ROOM);
    step("send 1 to 3 into a channel with room for 3, and receive them; three times over");
    for (int round = 0; round < 3; round++) {
        struct outcome o;

        spawn(&lab, sender("S", &c, 1, ROOM));
        run_all(&lab);
        trace_clear();
        for (intptr_t i = 1, item = 0; i <= ROOM; i++) {
            spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &o));
            run_all(&lab);
            expect_outcome("the await of channel_receive(c, &item)", &o, 0);
            expect_int("the item", item, i);
        }
    }
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_full)
{
    struct sync_lab lab;
    struct outcome fits, waits, got;
    intptr_t slots[2], item = 0;
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, 2);
    step("send 1, 2 and 3 into a channel with room for 2: the third has to wait");
    spawn(&lab, awaits(&lab, "1", channel_send(&c, 1), NULL));
    spawn(&lab, awaits(&lab, "2", channel_send(&c, 2), &fits));
    spawn(&lab, awaits(&lab, "3", channel_send(&c, 3), &waits));
    run_ready(&lab);
    expect_outcome("the await of channel_send(c, 2)", &fits, 0);
    expect_waiting("the await of channel_send(c, 3)", &waits);
    step("receive one: now there is room");
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &got));
    run_ready(&lab);
    expect_outcome("the await of channel_receive(c, &item)", &got, 0);
    expect_int("the item", item, 1);
    expect_outcome("the await of channel_send(c, 3)", &waits, 0);
    step("the others come out in their order, 3 the last");
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &got));
    run_ready(&lab);
    expect_int("the item", item, 2);
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &got));
    run_ready(&lab);
    expect_int("the item", item, 3);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_empty)
{
    struct sync_lab lab;
    struct outcome first, second;
    intptr_t slots[ROOM], a = -1, b = -1;
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, ROOM);
    step("two receive from an empty channel");
    spawn(&lab, awaits(&lab, "A", channel_receive(&c, &a), &first));
    spawn(&lab, awaits(&lab, "B", channel_receive(&c, &b), &second));
    run_ready(&lab);
    expect_waiting("A", &first);
    step("send an item: it is for the one that came first");
    spawn(&lab, awaits(&lab, "S", channel_send(&c, 7), NULL));
    run_ready(&lab);
    expect_outcome("A's await", &first, 0);
    expect_int("A's item", a, 7);
    expect_waiting("B", &second);
    expect_int("what B has", b, -1);
    step("and another one");
    spawn(&lab, awaits(&lab, "S", channel_send(&c, 0), NULL));
    run_all(&lab);
    expect_outcome("B's await", &second, 0);
    expect_int("B's item", b, 0);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_rendezvous)
{
    struct sync_lab lab;
    struct outcome sent, got;
    intptr_t item = 0;
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, NULL, 0);
    step("send into a channel without room: the sender waits until somebody receives");
    spawn(&lab, awaits(&lab, "S", channel_send(&c, 5), &sent));
    run_ready(&lab);
    expect_waiting("the sender", &sent);
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &got));
    run_ready(&lab);
    expect_outcome("the await of channel_receive(c, &item)", &got, 0);
    expect_outcome("the await of channel_send(c, 5)", &sent, 0);
    expect_int("the item", item, 5);
    step("the other way round: the receiver waits until somebody sends");
    spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &got));
    run_ready(&lab);
    expect_waiting("the receiver", &got);
    spawn(&lab, awaits(&lab, "S", channel_send(&c, 6), &sent));
    run_ready(&lab);
    expect_outcome("the await of channel_send(c, 6)", &sent, 0);
    expect_outcome("the await of channel_receive(c, &item)", &got, 0);
    expect_int("the item", item, 6);
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_senders_in_line)
{
    static const char *const names[ROOM] = {"A", "B", "C"};
    struct sync_lab lab;
    struct outcome sent[ROOM], got;
    intptr_t item = 0;
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, NULL, 0);
    step("A, B and C wait to send 0, 1, and 2");
    for (int i = 0; i < ROOM; i++) {
        spawn(&lab, awaits(&lab, names[i], channel_send(&c, i), &sent[i]));
    }
    run_ready(&lab);
    step("receive one after the other");
    for (int i = 0; i < ROOM; i++) {
        expect_waiting(names[i], &sent[i]);
        spawn(&lab, awaits(&lab, "R", channel_receive(&c, &item), &got));
        run_ready(&lab);
        expect_int("the item", item, i);
        expect_outcome(names[i], &sent[i], 0);
    }
    channel_destroy(&c);
    close_sync_lab(&lab);
}

/* ---- Many at both ends --------------------------------------------------- */

enum { SENDERS = 4, RECEIVERS = 3, ITEMS = 50 };

struct collector {
    task task;
    channel *channel;
    int last[SENDERS]; /* the last item of each sender that this one has received, counted from 1 */
    int *seen;         /* of all collectors, how often each item */
    intptr_t item, result;
};

/* What came later from a sender never comes out earlier, here. */
static void collector_body(co_handle frame)
{
    struct collector *self = (struct collector *)frame;

    CO_BEGIN(self);
    for (;;) {
        CO_AWAIT(self, self->result, channel_receive(self->channel, &self->item));
        if (self->result < 0) {
            break;
        }
        expect_between("which item of its sender it is, after the one before",
                       self->item % ITEMS + 1, self->last[self->item / ITEMS] + 1, ITEMS);
        self->last[self->item / ITEMS] = (int)(self->item % ITEMS) + 1;
        self->seen[self->item]++;
    }
    CO_END(self);
}

static task *collector(channel *c, int *seen)
{
    struct collector *self = malloc(sizeof *self);

    *self = (struct collector){.channel = c, .seen = seen};
    return task_init(&self->task, "collector", collector_body, NULL);
}

static void send_through(size_t capacity)
{
    struct sync_lab lab;
    intptr_t slots[SENDERS * ITEMS];
    int seen[SENDERS * ITEMS] = {0};
    channel c;

    open_sync_lab(&lab);
    channel_init(&c, slots, capacity);
    step("%d send %d items each, %d receive; room for %zu", SENDERS, ITEMS, RECEIVERS, capacity);
    for (int i = 0; i < RECEIVERS; i++) {
        spawn(&lab, collector(&c, seen));
    }
    for (int i = 0; i < SENDERS; i++) {
        spawn(&lab, sender("S", &c, (intptr_t)i * ITEMS, ITEMS));
    }
    expect_int("how many wait in the end: the receivers", scheduler_run(lab.s), RECEIVERS);
    expect_int("channel_close(c)", channel_close(&c), 0);
    run_all(&lab);
    for (int i = 0; i < SENDERS * ITEMS; i++) {
        expect_int("how often an item was received", seen[i], 1);
    }
    channel_destroy(&c);
    close_sync_lab(&lab);
}

LAB_TEST(channel_many)
{
    send_through(0);
    send_through(1);
    send_through(7);
    send_through(SENDERS * ITEMS);
}
