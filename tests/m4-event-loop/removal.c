/* removal.c - Step 6: a coroutine that waits for a descriptor is destroyed. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <unistd.h>

/* Three readers wait; number `gone` is destroyed, then a fourth comes; three bytes arrive. */
static void remove_reader(struct loop_lab *lab, int gone, const char *expected)
{
    static const char *const names[] = {"R1", "R2", "R3"};
    task *tasks[3];
    int pair[2];

    trace_clear();
    open_pair(pair);
    step("three tasks wait to read a byte each; number %d is destroyed, then a fourth comes",
         gone + 1);
    for (int i = 0; i < 3; i++) {
        tasks[i] = start(lab, reader(lab, names[i], pair[0], 1, 1));
    }
    spawn(lab, later(lab, MILLISECONDS(5), destroy_it, &tasks[gone]));
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){pair[1], "abc"}));
    expect_int("block_on(a sleeper)",
               scheduler_block_on(lab->s,
                                  awaiting(lab, "then", sleep_for(lab->t, MILLISECONDS(10))), NULL),
               0);
    trace_clear();
    spawn(lab, reader(lab, "R4", pair[0], 1, 1));
    run_all(lab);
    expect_trace(expected);
    for (int i = 0; i < 3; i++) {
        expect_int("task_destroy(t)", task_destroy(tasks[i]), 0);
    }
    close_pair(lab, pair);
}

static void remove_scene(struct loop_lab *lab)
{
    remove_reader(lab, 0, "R2:a R3:b R4:c");
    remove_reader(lab, 1, "R1:a R3:b R4:c");
    remove_reader(lab, 2, "R1:a R2:b R4:c");
}

static void only_scene(struct loop_lab *lab)
{
    int pair[2];
    task *r;
    task *w;

    open_pair(pair);
    (void)fill(pair[0]);
    step("the only reader and the only writer of a socket are destroyed; then it becomes ready");
    r = start(lab, reader(lab, "R", pair[0], 64, 5));
    w = start(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, later(lab, MILLISECONDS(5), destroy_it, &r));
    spawn(lab, later(lab, MILLISECONDS(5), destroy_it, &w));
    spawn(lab, later(lab, MILLISECONDS(10), drain_end, &pair[1]));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("");
    step("another reader comes");
    spawn(lab, reader(lab, "R2", pair[0], 64, 5));
    run_all(lab);
    expect_trace("R2:hello");
    close_pair(lab, pair);
}

LAB_TEST(destroyed_waiter_is_forgotten)
{
    in_both_modes(remove_scene);
    in_both_modes(only_scene);
}

/* Whichever of two acceptors runs first destroys the other, whose connection may be accepted
 * already. */
struct rival {
    task task;
    struct loop_lab *lab;
    int listener;
    task **other;
    intptr_t fd;
};

static void rival_body(co_handle frame)
{
    struct rival *self = (struct rival *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->fd, event_loop_accept(self->lab->loop, self->listener));
    expect_true("accept gives a descriptor", self->fd >= 0);
    trace("accepted");
    expect_int("task_destroy(the other one)", task_destroy(task_take(self->other)), 0);
    expect_int("event_loop_close(loop, fd)", event_loop_close(self->lab->loop, (int)self->fd), 0);
    CO_END(self);
}

static void connect_both(struct loop_lab *lab, void *fds)
{
    int *ends = fds;

    (void)lab;
    ends[2] = connect_to(ends[0], true);
    ends[3] = connect_to(ends[1], true);
}

static void accept_scene(struct loop_lab *lab)
{
    int fds[4] = {open_listener(4), open_listener(4)};
    task *tasks[2];
    int before;

    step(
        "two tasks wait for connections, which come together; the one that runs first destroys the "
        "other");
    for (int i = 0; i < 2; i++) {
        struct rival *self = malloc(sizeof *self);

        *self = (struct rival){.lab = lab, .listener = fds[i], .other = &tasks[1 - i]};
        tasks[i] = start(lab, task_init(&self->task, "rival", rival_body, NULL));
    }
    before = open_descriptors();
    spawn(lab, later(lab, MILLISECONDS(10), connect_both, fds));
    run_all(lab);
    expect_trace("accepted");
    expect_int("descriptors open after all but the two clients', against before",
               open_descriptors() - 2, before);
    for (int i = 0; i < 4; i++) {
        expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, fds[i]), 0);
    }
    expect_int("task_destroy(t)", task_destroy(tasks[0]), 0);
    expect_int("task_destroy(t)", task_destroy(tasks[1]), 0);
}

LAB_TEST(unclaimed_connection_is_closed)
{
    in_both_modes(accept_scene);
}
