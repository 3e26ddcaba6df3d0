/* try_first.c - Step 2: what an operation does when the kernel says "not now", "again" or "a part".
 */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <string.h>

static void silent_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("a task reads a byte at a time; at 10 ms four come at once, and nothing more");
    spawn(lab, reader(lab, "R", pair[0], 1, 4));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "abcd"}));
    run_all(lab);
    expect_trace("R:a R:b R:c R:d");

    trace_clear();
    step("the same, but they are there before it reads");
    say(lab, &(struct speech){pair[1], "efgh"});
    spawn(lab, reader(lab, "R", pair[0], 1, 4));
    run_all(lab);
    expect_trace("R:e R:f R:g R:h");
    close_pair(lab, pair);
}

LAB_TEST(one_event_many_reads)
{
    in_both_modes(silent_scene);
}

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

static void part_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("the kernel takes 3 bytes at a time of a write of 10, and gives 4 of a read of 64");
    limit_transfer(CALL_WRITE, 3);
    limit_transfer(CALL_READ, 4);
    spawn(lab, awaiting(lab, "write", event_loop_write(lab->loop, pair[0], "0123456789", 10)));
    run_all(lab);
    spawn(lab, writer(lab, "W", pair[0], "3456789"));
    spawn(lab, reader(lab, "R", pair[1], 64, 10));
    run_all(lab);
    expect_trace("write:3@0 W:done R:0123 R:4567 R:89");
    limit_transfer(CALL_WRITE, 0);
    limit_transfer(CALL_READ, 0);
    close_pair(lab, pair);
}

LAB_TEST(part_of_a_transfer_is_told)
{
    in_both_modes(part_scene);
}

enum { BULK = 256 * 1024 };

static char sent[2][BULK];
static char received[2][BULK];

static void bulk_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("%d bytes go through a small socket, each way at the same time", BULK);
    for (unsigned way = 0; way < 2; way++) {
        fill_pattern(sent[way], BULK, way);
        memset(received[way], 0, BULK);
        spawn(lab, bulk_writer(lab, pair[way], sent[way], BULK, 5000));
        spawn(lab, bulk_reader(lab, pair[1 - way], received[way], BULK, 3000));
    }
    run_all(lab);
    expect_bytes("what came through one way", received[0], BULK, sent[0], BULK);
    expect_bytes("what came through the other way", received[1], BULK, sent[1], BULK);
    close_pair(lab, pair);
}

LAB_TEST(much_data_go_both_ways)
{
    in_both_modes(bulk_scene);
}
