/* channel_model.c - random sends and receives, compared with a plain queue. */
#include "actors.h"
#include "chance.h"
#include "lab_test.h"

#include <errno.h>

enum { MOVES = 200, MOST_ROOM = 4 };

/* What a channel does, said with the numbers of the items alone: item n is the n-th that was sent. */
struct model {
    size_t capacity;
    int sent, received; /* how many sends and receives were begun */
};

/* Sends and receives meet in their order, so the n-th receive gets the n-th item, if there is one. And a send
 * is done when its item has been received, or is one of the next `capacity` ones. */
static bool receive_is_done(const struct model *m, int n)
{
    return n < m->sent;
}

static bool send_is_done(const struct model *m, int n)
{
    return n < m->received + (int)m->capacity;
}

struct play {
    struct sync_lab lab;
    struct model model;
    channel channel;
    intptr_t slots[MOST_ROOM], items[MOVES];
    struct outcome sends[MOVES], receives[MOVES];
};

static void compare(const struct play *p)
{
    for (int n = 0; n < p->model.sent; n++) {
        expect_int("whether a send is done", p->sends[n].over, send_is_done(&p->model, n));
    }
    for (int n = 0; n < p->model.received; n++) {
        bool done = receive_is_done(&p->model, n);

        expect_int("whether a receive is done", p->receives[n].over, done);
        expect_int("its item", p->items[n], done ? n : -1);
    }
}

static void move(struct play *p, bool sends)
{
    struct model *m = &p->model;

    if (sends) {
        awaiter a = channel_send(&p->channel, m->sent);

        spawn(&p->lab, awaits(&p->lab, "S", a, &p->sends[m->sent++]));
    } else {
        awaiter a = channel_receive(&p->channel, &p->items[m->received]);

        p->items[m->received] = -1;
        spawn(&p->lab, awaits(&p->lab, "R", a, &p->receives[m->received++]));
    }
}

static void schedule(struct chance chance)
{
    struct play *p = calloc(1, sizeof *p);

    open_sync_lab(&p->lab);
    p->model.capacity = (size_t)chance_below(&chance, MOST_ROOM + 1);
    channel_init(&p->channel, p->slots, p->model.capacity);
    for (int i = 0; i < MOVES; i++) {
        move(p, chance_below(&chance, 2) == 0);
        if (chance_below(&chance, 4) == 0) {
            run_ready(&p->lab);
            compare(p);
        }
    }
    run_ready(&p->lab);
    compare(p);
    expect_int("scheduler_destroy(s)", scheduler_destroy(p->lab.s), 0);
    timers_destroy(p->lab.t);
    channel_destroy(&p->channel);
    free(p);
}

LAB_TEST(channel_matches_a_model)
{
    step("send and receive at random, %d times", MOVES);
    for_each_seed(schedule);
}
