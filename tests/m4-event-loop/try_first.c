/* try_first.c - Step 2: what an operation does when the kernel says "not now" or "again". */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>

struct dozer {
    task task;
    struct loop_lab *lab;
    int fd;
    int i;
    intptr_t n;
    char byte;
};

static void dozer_body(co_handle frame)
{
    struct dozer *self = (struct dozer *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < 3; self->i++) {
        CO_AWAIT(self, self->n, event_loop_read(self->lab->loop, self->fd, &self->byte, 1));
        trace("%c@%g", self->byte, (double)self->lab->v.time / 1e6);
        CO_AWAIT(self, self->n, sleep_for(self->lab->t, MILLISECONDS(10)));
    }
    CO_AWAIT(self, self->n, event_loop_readable(self->lab->loop, self->fd));
    trace("readable@%g", (double)self->lab->v.time / 1e6);
    CO_END(self);
}

static void missed_scene(struct loop_lab *lab)
{
    struct dozer *self = malloc(sizeof *self);
    int pair[2];

    open_pair(pair);
    step("a task reads, sleeps for 10 ms, reads, and so on; data come at 5, 10, 18 and 28 ms, "
         "mostly "
         "while it sleeps");
    self->lab = lab;
    self->fd = pair[0];
    spawn(lab, task_init(&self->task, "dozer", dozer_body, NULL));
    spawn(lab, later(lab, MILLISECONDS(5), say, &(struct speech){pair[1], "a"}));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "b"}));
    spawn(lab, later(lab, MILLISECONDS(18), say, &(struct speech){pair[1], "c"}));
    spawn(lab, later(lab, MILLISECONDS(28), say, &(struct speech){pair[1], "d"}));
    run_all(lab);
    expect_trace("a@5 b@15 c@25 readable@35");
    close_pair(lab, pair);
}

LAB_TEST(data_that_came_unawaited_are_found)
{
    in_both_modes(missed_scene);
}

static void interrupted_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("a signal interrupts the first three reads and the first three writes");
    inject_error(CALL_READ, 1, 1, 3, EINTR);
    inject_error(CALL_WRITE, 1, 1, 3, EINTR);
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, writer(lab, "W", pair[1], "hello"));
    run_all(lab);
    expect_trace("W:done R:hello");

    trace_clear();
    step("a signal interrupts the read that follows the event, and nothing more comes");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    inject_error(CALL_READ, 2, 1, 2, EINTR);
    run_all(lab);
    expect_trace("R:hello");

    trace_clear();
    step("a signal interrupts the write that follows the event");
    (void)fill(pair[0]);
    spawn(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, later(lab, MILLISECONDS(10), drain_end, &pair[1]));
    inject_error(CALL_WRITE, 2, 1, 2, EINTR);
    run_all(lab);
    expect_trace("W:done");
    close_pair(lab, pair);
}

LAB_TEST(interrupted_calls_are_repeated)
{
    in_both_modes(interrupted_scene);
}

/* The byte is there, but the next read says EAGAIN, as when somebody else was quicker. */
static void say_in_vain(struct loop_lab *lab, void *speech)
{
    say(lab, speech);
    inject_error(CALL_READ, 1, 1, 1, EAGAIN);
}

static void drain_in_vain(struct loop_lab *lab, void *fd)
{
    drain_end(lab, fd);
    inject_error(CALL_WRITE, 1, 1, 1, EAGAIN);
}

static void once_more(struct loop_lab *lab, void *fd)
{
    (void)fill(((int *)fd)[0]);
    drain_end(lab, &((int *)fd)[1]);
}

static void in_vain_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("at 10 ms an event says that there is something to read, but the read says EAGAIN; at 20 "
         "ms "
         "more comes");
    spawn(lab, reader(lab, "R", pair[0], 1, 2));
    spawn(lab, later(lab, MILLISECONDS(10), say_in_vain, &(struct speech){pair[1], "a"}));
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){pair[1], "b"}));
    run_all(lab);
    expect_trace("R:a R:b");

    trace_clear();
    step("the same with a write to a full socket");
    (void)fill(pair[0]);
    spawn(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, later(lab, MILLISECONDS(10), drain_in_vain, &pair[1]));
    spawn(lab, later(lab, MILLISECONDS(20), once_more, pair));
    run_all(lab);
    expect_trace("W:done");

    trace_clear();
    step("two tasks wait for one socket; the event that wakes both brings one byte");
    spawn(lab, reader(lab, "R1", pair[1], 4, 4));
    (void)drain(pair[1]);
    spawn(lab, reader(lab, "R2", pair[1], 1, 1));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[0], "wxyz"}));
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){pair[0], "!"}));
    run_all(lab);
    expect_trace("R1:wxyz R2:!");
    close_pair(lab, pair);
}

LAB_TEST(event_without_data_is_no_error)
{
    in_both_modes(in_vain_scene);
}
