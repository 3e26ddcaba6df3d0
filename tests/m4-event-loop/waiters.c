/* waiters.c - Step 1: who waits for a descriptor is woken when its side of it is ready. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void read_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("a task reads; after 10 ms the other end says hello");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("R:hello");
    expect_time("the clock afterwards", lab->v.time, MILLISECONDS(10), MILLISECONDS(10));
    close_pair(lab, pair);
}

LAB_TEST(reader_waits_for_data)
{
    in_both_modes(read_scene);
}

static void both_sides_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    (void)fill(pair[0]);
    step("a task writes to a full socket and another reads from it: both wait; at 10 ms there is "
         "something to read, at 20 ms there is room");
    spawn(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    spawn(lab, later(lab, MILLISECONDS(20), drain_end, &pair[1]));
    run_all(lab);
    expect_trace("R:hello W:done");

    trace_clear();
    (void)drain(pair[1]);
    (void)fill(pair[0]);
    step("the same the other way round: first there is room, then something to read");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, later(lab, MILLISECONDS(10), drain_end, &pair[1]));
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("W:done R:hello");
    close_pair(lab, pair);
}

LAB_TEST(reader_and_writer_share_a_descriptor)
{
    in_both_modes(both_sides_scene);
}

static void drain_and_say(struct loop_lab *lab, void *fd)
{
    drain_end(lab, fd);
    say(lab, &(struct speech){*(int *)fd, "hello"});
}

static void one_event_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    (void)fill(pair[0]);
    step("a reader and a writer wait for one socket; both sides become ready at the same moment");
    spawn(lab, awaiting(lab, "R", event_loop_readable(lab->loop, pair[0])));
    spawn(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, later(lab, MILLISECONDS(10), drain_and_say, &pair[1]));
    run_all(lab);
    expect_true("both were woken", strcmp(trace_text(), "R:0@10 W:done") == 0 ||
                                       strcmp(trace_text(), "W:done R:0@10") == 0);
    close_pair(lab, pair);
}

LAB_TEST(one_event_wakes_both_sides)
{
    in_both_modes(one_event_scene);
}

/* Sleeps for 10 ms, then reads a byte. */
struct late_reader {
    task task;
    struct loop_lab *lab;
    int fd;
    char byte;
};

static void late_reader_body(co_handle frame)
{
    struct late_reader *self = (struct late_reader *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(10)));
    CO_AWAIT(self, self->task.ignored, event_loop_read(self->lab->loop, self->fd, &self->byte, 1));
    trace("late:%c", self->byte);
    CO_END(self);
}

static task *late_reader(struct loop_lab *lab, int fd)
{
    struct late_reader *self = malloc(sizeof *self);

    self->lab = lab;
    self->fd = fd;
    return task_init(&self->task, "late_reader", late_reader_body, NULL);
}

static void readers_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("three tasks read one byte each from one socket; two bytes come at once, then one more");
    spawn(lab, reader(lab, "R1", pair[0], 1, 1));
    spawn(lab, reader(lab, "R2", pair[0], 1, 1));
    spawn(lab, reader(lab, "R3", pair[0], 1, 1));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "ab"}));
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){pair[1], "c"}));
    run_all(lab);
    expect_trace("R1:a R2:b R3:c");

    trace_clear();
    step("one task waits; a byte comes for it, and before the loop has seen that, another one "
         "reads");
    spawn(lab, reader(lab, "R1", pair[0], 1, 1));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "a"}));
    spawn(lab, late_reader(lab, pair[0]));
    spawn(lab, later(lab, MILLISECONDS(20), say, &(struct speech){pair[1], "b"}));
    run_all(lab);
    expect_trace("R1:a late:b");
    close_pair(lab, pair);
}

static void writers_scene(struct loop_lab *lab)
{
    char text[16] = "";
    int pair[2];

    open_pair(pair);
    (void)fill(pair[0]);
    step("three tasks write to a full socket; at 10 ms there is room for all");
    spawn(lab, writer(lab, "W1", pair[0], "one,"));
    spawn(lab, writer(lab, "W2", pair[0], "two,"));
    spawn(lab, writer(lab, "W3", pair[0], "three"));
    spawn(lab, later(lab, MILLISECONDS(10), drain_end, &pair[1]));
    run_all(lab);
    expect_trace("W1:done W2:done W3:done");
    watch_calls(false);
    expect_int("bytes at the other end", read(pair[1], text, sizeof text - 1), 13);
    expect_string("what the other end reads", text, "one,two,three");
    watch_calls(true);
    close_pair(lab, pair);
}

LAB_TEST(waiters_are_served_in_order)
{
    in_both_modes(readers_scene);
    in_both_modes(writers_scene);
}

static void readiness_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("a task waits until a socket can be written: it can; another until it can be read");
    spawn(lab, awaiting(lab, "writable", event_loop_writable(lab->loop, pair[0])));
    spawn(lab, awaiting(lab, "readable", event_loop_readable(lab->loop, pair[0])));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    expect_trace("writable:0@0 readable:0@10");

    trace_clear();
    step("what made it readable is still there");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    run_all(lab);
    expect_trace("R:hello");

    trace_clear();
    step("it is full: a task waits until there is room");
    (void)fill(pair[0]);
    spawn(lab, awaiting(lab, "writable", event_loop_writable(lab->loop, pair[0])));
    spawn(lab, later(lab, MILLISECONDS(10), drain_end, &pair[1]));
    run_all(lab);
    expect_trace("writable:0@20");
    close_pair(lab, pair);
}

/* Whoever waits until there is something may take it by other means than the loop's. */
static void taken_scene(struct loop_lab *lab)
{
    char byte;
    int pair[2];

    open_tcp_pair(pair);
    step("a task waits; at 10 ms two bytes come, and it is told");
    spawn(lab, awaiting(lab, "first", event_loop_readable(lab->loop, pair[0])));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "ab"}));
    run_all(lab);
    step(
        "one byte is taken, by recv(2) and not through the loop; a task waits: one is still there");
    watch_calls(false);
    expect_int("recv(fd, &byte, 1, 0)", recv(pair[0], &byte, 1, 0), 1);
    watch_calls(true);
    spawn(lab, awaiting(lab, "second", event_loop_readable(lab->loop, pair[0])));
    spawn(lab, awaiting(lab, "sleep", sleep_for(lab->t, MILLISECONDS(5))));
    run_all(lab);
    expect_trace("first:0@10 second:0@10 sleep:0@15");
    step("the last one is taken in the same way; a task waits: the next byte comes 10 ms later");
    expect_int("bytes that were left", (intptr_t)drain(pair[0]), 1);
    spawn(lab, awaiting(lab, "third", event_loop_readable(lab->loop, pair[0])));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "c"}));
    run_all(lab);
    expect_trace("first:0@10 second:0@10 sleep:0@15 third:0@25");
    close_pair(lab, pair);
}

LAB_TEST(readiness_moves_no_byte)
{
    in_both_modes(readiness_scene);
    in_both_modes(taken_scene);
}
