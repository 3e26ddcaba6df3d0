/* hang_up.c - Step 1: the other end goes away; first comes what it has sent, then the end. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void end_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("the other end has said abc and gone; a task reads a byte at a time");
    say(lab, &(struct speech){pair[1], "abc"});
    close_end(lab, &pair[1]);
    spawn(lab, reader(lab, "R", pair[0], 1, 9));
    run_all(lab);
    expect_trace("R:a R:b R:c R:end");
    close_pair(lab, pair);

    trace_clear();
    open_pair(pair);
    step("a task waits for data; the other end says abc at 10 ms and goes at once");
    spawn(lab, reader(lab, "R", pair[0], 1, 9));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "abc"}));
    spawn(lab, later(lab, MILLISECONDS(10), close_end, &pair[1]));
    run_all(lab);
    expect_trace("R:a R:b R:c R:end");
    close_pair(lab, pair);
}

/* Waits until there is something before each read, as one does who has no buffer while he waits. */
struct careful_reader {
    task task;
    struct loop_lab *lab;
    int fd;
    intptr_t n;
    char bytes[64];
};

static void careful_reader_body(co_handle frame)
{
    struct careful_reader *self = (struct careful_reader *)frame;

    CO_BEGIN(self);
    do {
        CO_AWAIT(self, self->n, event_loop_readable(self->lab->loop, self->fd));
        expect_int("readable", self->n, 0);
        CO_AWAIT(self, self->n, event_loop_read(self->lab->loop, self->fd, self->bytes, 64));
        trace("%d", (int)self->n);
    } while (self->n > 0);
    CO_END(self);
}

static void say_and_close(struct loop_lab *lab, void *fd)
{
    say(lab, &(struct speech){*(int *)fd, "abc"});
    close_end(lab, fd);
}

static void careful_end_scene(struct loop_lab *lab)
{
    void (*const openers[])(int pair[2]) = {open_pair, open_tcp_pair, open_pipe};
    int pair[2];

    for (size_t i = 0; i < sizeof openers / sizeof openers[0]; i++) {
        struct careful_reader *self = malloc(sizeof *self);

        trace_clear();
        openers[i](pair);
        step("a task waits until there is something, reads, and so on; at 10 ms the other end says "
             "abc "
             "and goes (%s)",
             i == 0   ? "socket pair"
             : i == 1 ? "TCP"
                      : "pipe");
        self->lab = lab;
        self->fd = pair[0];
        spawn(lab, task_init(&self->task, "careful_reader", careful_reader_body, NULL));
        spawn(lab, later(lab, MILLISECONDS(10), say_and_close, &pair[1]));
        run_all(lab);
        expect_trace("3 0");
        close_pair(lab, pair);
    }
}

LAB_TEST(data_come_before_the_end)
{
    in_both_modes(end_scene);
    in_both_modes(careful_end_scene);
}

static void pipe_scene(struct loop_lab *lab)
{
    int ends[2];
    unsigned long waits;

    open_pipe(ends);
    step("a task reads from a pipe, which the writer closes at 10 ms");
    waits = call_count(CALL_EPOLL_WAIT);
    spawn(lab, reader(lab, "R", ends[0], 64, 9));
    spawn(lab, later(lab, MILLISECONDS(10), close_end, &ends[1]));
    run_all(lab);
    expect_trace("R:end");
    expect_between("calls of epoll_wait", (int64_t)(call_count(CALL_EPOLL_WAIT) - waits), 1, 5);
    close_pair(lab, ends);

    trace_clear();
    open_pipe(ends);
    (void)fill(ends[1]);
    step("a task writes to a full pipe, which the reader closes at 10 ms");
    waits = call_count(CALL_EPOLL_WAIT);
    spawn(lab, writer(lab, "W", ends[1], "text"));
    spawn(lab, later(lab, MILLISECONDS(10), close_end, &ends[0]));
    run_all(lab);
    expect_trace("W:EPIPE");
    expect_between("calls of epoll_wait", (int64_t)(call_count(CALL_EPOLL_WAIT) - waits), 1, 5);
    close_pair(lab, ends);
}

LAB_TEST(hang_up_of_a_pipe_wakes)
{
    (void)signal(SIGPIPE, SIG_IGN);
    in_both_modes(pipe_scene);
}

/* Closed with data that it has not read, a socket resets the connection. Which waiter gets the error
 * depends on who asks first; the other finds the end. */
static void reset_scene(struct loop_lab *lab)
{
    int pair[2];
    task *r;
    task *w;
    intptr_t value = 1;

    open_pair(pair);
    (void)fill(pair[0]);
    step("a reader and a writer wait for a full socket; the other end closes at 10 ms, without "
         "having "
         "read what is there");
    r = start(lab, reader(lab, "R", pair[0], 64, 9));
    w = start(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, later(lab, MILLISECONDS(10), close_end, &pair[1]));
    run_all(lab);
    expect_int("task_get(reader)", task_get(r, &value), 0);
    expect_true("the reader gets -ECONNRESET or the end", value == -ECONNRESET || value == 0);
    expect_int("task_get(writer)", task_get(w, &value), 0);
    expect_true("the writer gets -ECONNRESET or -EPIPE", value == -ECONNRESET || value == -EPIPE);
    expect_int("task_destroy(reader)", task_destroy(r), 0);
    expect_int("task_destroy(writer)", task_destroy(w), 0);
    close_pair(lab, pair);
}

static void tcp_reset_scene(struct loop_lab *lab)
{
    int pair[2];

    open_tcp_pair(pair);
    step("a reader waits for a TCP socket; the other end resets it at 10 ms");
    spawn(lab, reader(lab, "R", pair[0], 64, 9));
    spawn(lab, later(lab, MILLISECONDS(10), reset_end, &pair[1]));
    run_all(lab);
    expect_trace("R:ECONNRESET");
    close_pair(lab, pair);
}

LAB_TEST(reset_wakes_both_sides)
{
    in_both_modes(reset_scene);
    in_both_modes(tcp_reset_scene);
}

static void gone_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    close_end(lab, &pair[1]);
    step("a task writes to a socket whose other end is gone; SIGPIPE is not ignored");
    spawn(lab, writer(lab, "W", pair[0], "text"));
    run_all(lab);
    expect_trace("W:EPIPE");
    close_pair(lab, pair);
}

LAB_TEST(no_signal_from_a_broken_socket)
{
    in_both_modes(gone_scene);
}
