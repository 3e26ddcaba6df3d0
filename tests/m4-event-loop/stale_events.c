/* stale_events.c - Step 3 and 6: a number that was closed and given to somebody else. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <unistd.h>

struct reuse {
    int pair[2]; /* pair[0] is the number that is closed and reused */
    int shared;  /* a second descriptor for what pair[0] was */
    int next[2]; /* next[0] has the number that pair[0] had */
};

static void share(struct reuse *r)
{
    open_pair(r->pair);
    r->shared = dup(r->pair[0]);
    expect_true("the test could duplicate a descriptor", r->shared >= 0);
}

/* Closes the number through the loop, opens another socket under it, and lets a task wait for it.
 */
static void reuse_number(struct loop_lab *lab, void *context)
{
    struct reuse *r = context;

    watch_calls(true);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, r->pair[0]), 0);
    open_pair(r->next);
    expect_int("the new socket's number", r->next[0], r->pair[0]);
    spawn(lab, awaiting(lab, "new", event_loop_readable(lab->loop, r->next[0])));
}

static void close_reused(struct loop_lab *lab, struct reuse *r)
{
    close_pair(lab, r->next);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, r->pair[1]), 0);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, r->shared), 0);
}

static void say_far(struct loop_lab *lab, void *far_end)
{
    say(lab, &(struct speech){*(int *)far_end, "x"});
}

static void reused_scene(struct loop_lab *lab)
{
    struct reuse r;

    share(&r);
    step("a task waits for a socket that has a copy (dup); at 10 ms it is closed, and a task waits "
         "for a new socket of the same number");
    spawn(lab, awaiting(lab, "old", event_loop_readable(lab->loop, r.pair[0])));
    spawn(lab, later(lab, MILLISECONDS(10), reuse_number, &r));
    step("at 20 ms data come for the old socket, at 30 ms for the new one");
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){r.pair[1], "for the old"}));
    spawn(lab, later(lab, MILLISECONDS(30), say_far, &r.next[1]));
    run_all(lab);
    expect_trace("old:ECANCELED@10 new:0@30");
    close_reused(lab, &r);
}

/* The old socket is written to and emptied every millisecond: each time an edge, if one listens. */
struct chatter {
    task task;
    struct loop_lab *lab;
    struct reuse *reuse;
    int i;
};

static void chatter_body(co_handle frame)
{
    struct chatter *self = (struct chatter *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < 100; self->i++) {
        CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(1)));
        (void)drain(self->reuse->shared);
        say(self->lab, &(struct speech){self->reuse->pair[1], "x"});
    }
    CO_END(self);
}

static void shared_scene(struct loop_lab *lab)
{
    struct chatter *self = malloc(sizeof *self);
    struct reuse r;
    unsigned long before;

    share(&r);
    step("a task has waited for a socket that a second descriptor also stands for; the first is "
         "closed");
    spawn(lab, reader(lab, "R", r.pair[0], 1, 1));
    spawn(lab, later(lab, MILLISECONDS(1), say, &(struct speech){r.pair[1], "x"}));
    run_all(lab);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, r.pair[0]), 0);

    step("data come for it 100 times, 1 ms apart: events of a number that is not ours any more");
    before = call_count(CALL_EPOLL_WAIT);
    *self = (struct chatter){.lab = lab, .reuse = &r};
    spawn(lab, task_init(&self->task, "chatter", chatter_body, NULL));
    run_all(lab);
    expect_between("calls of epoll_wait in 100 sleeps",
                   (int64_t)(call_count(CALL_EPOLL_WAIT) - before), 100, 120);
    r.next[0] = r.next[1] = -1;
    close_reused(lab, &r);
}

LAB_TEST(closed_but_shared_is_silent)
{
    in_both_modes(shared_scene);
}

/* Ready together: whoever runs first closes the other's descriptor, and a new one takes its number.
 */
struct usurper {
    task task;
    struct loop_lab *lab;
    int *mine, *other; /* descriptors; *other becomes the new one */
    int *far_end;      /* of the new one */
    intptr_t n;
};

static void usurper_body(co_handle frame)
{
    struct usurper *self = (struct usurper *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, event_loop_readable(self->lab->loop, *self->mine));
    if (*self->far_end < 0) { /* the first */
        int next[2];

        expect_int("event_loop_close(loop, fd)", event_loop_close(self->lab->loop, *self->other),
                   0);
        open_pair(next);
        expect_int("the new socket's number", next[0], *self->other);
        *self->far_end = next[1];
        spawn(self->lab, awaiting(self->lab, "new", event_loop_readable(self->lab->loop, next[0])));
    }
    trace("woken");
    CO_END(self);
}

static void say_both(struct loop_lab *lab, void *pairs)
{
    int(*p)[2] = pairs;

    say(lab, &(struct speech){p[0][1], "x"});
    say(lab, &(struct speech){p[1][1], "x"});
}

static void batch_scene(struct loop_lab *lab)
{
    int pairs[2][2];
    int far_end = -1;

    step("two sockets become ready together; whoever runs first closes the other's; a task waits "
         "for a new one of that number: data at 20 ms");
    open_pair(pairs[0]);
    open_pair(pairs[1]);
    for (int i = 0; i < 2; i++) {
        struct usurper *self = malloc(sizeof *self);

        *self = (struct usurper){.lab = lab, .far_end = &far_end};
        self->mine = &pairs[i][0];
        self->other = &pairs[1 - i][0];
        spawn(lab, task_init(&self->task, "usurper", usurper_body, NULL));
    }
    spawn(lab, later(lab, MILLISECONDS(10), say_both, pairs));
    spawn(lab, later(lab, MILLISECONDS(20), say_far, &far_end));
    run_all(lab);
    expect_trace("woken woken new:0@20");
    close_pair(lab, pairs[0]);
    close_pair(lab, pairs[1]);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, far_end), 0);
}

LAB_TEST(closed_number_gets_no_old_events)
{
    in_both_modes(reused_scene);
    in_both_modes(batch_scene);
}
