/* dispatch.c - Step 3: many events at once, and descriptors for which nobody waits. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <sys/eventfd.h>
#include <unistd.h>

enum { CROWD = 300, PAIRS = 50 };

static int open_event(void)
{
    int fd = eventfd(0, EFD_CLOEXEC);

    if (fd < 0) {
        fail_test("the test could not open an eventfd");
    }
    return fd;
}

static void ring(int fd)
{
    const uint64_t one = 1;

    watch_calls(false);
    expect_int("bytes written to an eventfd", write(fd, &one, sizeof one), sizeof one);
    watch_calls(true);
}

static void ring_all(struct loop_lab *lab, void *fds)
{
    (void)lab;
    for (const int *fd = fds; *fd >= 0; fd++) {
        ring(*fd);
    }
}

static void close_all(struct loop_lab *lab, const int *fds)
{
    for (; *fds >= 0; fds++) {
        expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, *fds), 0);
    }
}

static int woken;

/* Reads its event; then destroys its rival, if it has one that has not been as quick. */
struct rival {
    task task;
    struct loop_lab *lab;
    int fd;
    task **other;
    intptr_t n;
    uint64_t value;
};

static void rival_body(co_handle frame)
{
    struct rival *self = (struct rival *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n,
             event_loop_read(self->lab->loop, self->fd, &self->value, sizeof self->value));
    expect_int("read(eventfd)", self->n, sizeof self->value);
    woken++;
    if (self->other != NULL) {
        expect_int("task_destroy(the other one)", task_destroy(task_take(self->other)), 0);
    }
    CO_END(self);
}

static task *rival(struct loop_lab *lab, int fd, task **other)
{
    struct rival *self = malloc(sizeof *self);

    self->lab = lab;
    self->fd = fd;
    self->other = other;
    return start(lab, task_init(&self->task, "rival", rival_body, NULL));
}

static void crowd_scene(struct loop_lab *lab)
{
    static int fds[CROWD + 1];
    static task *tasks[CROWD];
    unsigned long waits;

    step("%d tasks wait for as many descriptors, which become ready together", CROWD);
    woken = 0;
    for (int i = 0; i < CROWD; i++) {
        fds[i] = open_event();
        tasks[i] = rival(lab, fds[i], NULL);
    }
    fds[CROWD] = -1;
    waits = call_count(CALL_EPOLL_WAIT);
    spawn(lab, later(lab, MILLISECONDS(1), ring_all, fds));
    run_all(lab);
    expect_int("how many were woken", woken, CROWD);
    expect_between("calls of epoll_wait", (int64_t)(call_count(CALL_EPOLL_WAIT) - waits), 2,
                   2 * CROWD);
    for (int i = 0; i < CROWD; i++) {
        expect_int("task_destroy(t)", task_destroy(tasks[i]), 0);
    }
    close_all(lab, fds);
}

LAB_TEST(hundreds_are_ready_at_once)
{
    in_both_modes(crowd_scene);
}

static void rivals_scene(struct loop_lab *lab)
{
    static int fds[2 * PAIRS + 1];
    static task *tasks[2 * PAIRS];

    step("%d pairs of tasks wait, and become ready together; of each pair, the one that runs first "
         "destroys the other",
         PAIRS);
    woken = 0;
    for (int i = 0; i < 2 * PAIRS; i++) {
        fds[i] = open_event();
        tasks[i] = rival(lab, fds[i], &tasks[i ^ 1]);
    }
    fds[2 * PAIRS] = -1;
    spawn(lab, later(lab, MILLISECONDS(1), ring_all, fds));
    run_all(lab);
    expect_int("how many went on", woken, PAIRS);
    for (int i = 0; i < 2 * PAIRS; i++) {
        expect_int("task_destroy(t)", task_destroy(tasks[i]), 0);
    }
    close_all(lab, fds);
}

LAB_TEST(waiter_destroyed_among_events)
{
    in_both_modes(rivals_scene);
}

/* How often the loop called epoll_wait while a task slept for a second, after what was set up. */
static void expect_quiet_second(struct loop_lab *lab, int64_t most)
{
    unsigned long before = call_count(CALL_EPOLL_WAIT);

    spawn(lab, awaiting(lab, "sleep", sleep_for(lab->t, SECONDS(1))));
    run_all(lab);
    expect_between("calls of epoll_wait in a second in which nobody waits for a descriptor",
                   (int64_t)(call_count(CALL_EPOLL_WAIT) - before), 1, most);
}

static void unawaited_scene(struct loop_lab *lab)
{
    int pair[2];

    open_tcp_pair(pair);
    step("a task has waited for a socket, and nobody does any more; then data come");
    spawn(lab, reader(lab, "R", pair[0], 1, 1));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "ab"}));
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){pair[1], "c"}));
    run_all(lab);
    expect_quiet_second(lab, 4);
    step("the other end resets the connection, and still nobody waits for it");
    spawn(lab, later(lab, MILLISECONDS(10), reset_end, &pair[1]));
    expect_quiet_second(lab, 6);
    close_pair(lab, pair);
}

LAB_TEST(events_that_nobody_awaits_cost_nothing)
{
    in_both_modes(unawaited_scene);
}

static void written_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    (void)fill(pair[0]);
    step("a task has waited for room in a socket, and has written; now there is room all the time");
    spawn(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, later(lab, MILLISECONDS(10), drain_end, &pair[1]));
    run_all(lab);
    expect_trace("W:done");
    expect_quiet_second(lab, 4);

    step("one task waits to read, while there is room to write");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(900), say, &(struct speech){pair[1], "hello"}));
    expect_quiet_second(lab, 6);
    close_pair(lab, pair);
}

LAB_TEST(room_that_nobody_awaits_costs_nothing)
{
    in_both_modes(written_scene);
}

static void cancel_end(struct loop_lab *lab, void *fd)
{
    watch_calls(true);
    expect_int("event_loop_cancel(loop, fd)", event_loop_cancel(lab->loop, *(int *)fd), 0);
}

static void abandoned_scene(struct loop_lab *lab)
{
    int pairs[2][2];
    task *t;

    open_pair(pairs[0]);
    open_pair(pairs[1]);
    step("one reader is destroyed, another is cancelled");
    t = start(lab, reader(lab, "R1", pairs[0][0], 64, 5));
    spawn(lab, reader(lab, "R2", pairs[1][0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(1), destroy_it, &t));
    spawn(lab, later(lab, MILLISECONDS(1), cancel_end, &pairs[1][0]));
    run_all(lab);
    expect_trace("R2:ECANCELED");
    step("then data come for both, and the other ends go");
    for (int i = 0; i < 2; i++) {
        say(lab, &(struct speech){pairs[i][1], "hello"});
        close_end(lab, &pairs[i][1]);
    }
    expect_quiet_second(lab, 5);
    close_pair(lab, pairs[0]);
    close_pair(lab, pairs[1]);
}

LAB_TEST(abandoned_descriptor_costs_nothing)
{
    in_both_modes(abandoned_scene);
}
