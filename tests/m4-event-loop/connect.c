/* connect.c - Step 5: making connections. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

static int open_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    expect_true("the test could open a socket", fd >= 0);
    return fd;
}

static awaiter connect_it(struct loop_lab *lab, int fd, struct sockaddr_in *address)
{
    return event_loop_connect(lab->loop, fd, (struct sockaddr *)address, sizeof *address);
}

static void success_scene(struct loop_lab *lab)
{
    int ends[2] = {open_listener(4), open_socket()};
    struct sockaddr_in address = address_of(ends[0]);
    int accepted;

    step("connect to a socket that listens");
    spawn(lab, awaiting(lab, "connect", connect_it(lab, ends[1], &address)));
    run_all(lab);
    expect_trace("connect:0@0");

    trace_clear();
    watch_calls(false);
    accepted = accept(ends[0], NULL, NULL);
    watch_calls(true);
    expect_true("the listener has got a connection", accepted >= 0);
    step("use the new connection");
    spawn(lab, writer(lab, "W", ends[1], "hello"));
    spawn(lab, reader(lab, "R", accepted, 64, 5));
    run_all(lab);
    expect_trace("W:done R:hello");
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, accepted), 0);
    close_pair(lab, ends);
}

LAB_TEST(connect_reaches_a_listener)
{
    in_both_modes(success_scene);
}

static void refused_scene(struct loop_lab *lab)
{
    int fd = open_socket();
    int listener = open_listener(4);
    struct sockaddr_in address = address_of(listener);

    step("connect to a port where nobody listens");
    (void)close(listener);
    spawn(lab, awaiting(lab, "connect", connect_it(lab, fd, &address)));
    run_all(lab);
    expect_trace("connect:ECONNREFUSED@0");
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, fd), 0);
}

LAB_TEST(refused_connect_is_an_error)
{
    in_both_modes(refused_scene);
}

static void cancel_end(struct loop_lab *lab, void *fd)
{
    watch_calls(true);
    expect_int("event_loop_cancel(loop, fd)", event_loop_cancel(lab->loop, *(int *)fd), 0);
}

/* A listener whose queue is full does not answer: a connect stays under way. */
static void pending_scene(struct loop_lab *lab)
{
    int ends[2] = {open_listener(0), open_socket()};
    struct sockaddr_in address = address_of(ends[0]);
    int others[3];

    step("connect to a listener whose queue is full; cancel after 10 ms");
    for (int i = 0; i < 3; i++) {
        others[i] = connect_to(ends[0], false);
    }
    spawn(lab, awaiting(lab, "connect", connect_it(lab, ends[1], &address)));
    spawn(lab, later(lab, MILLISECONDS(10), cancel_end, &ends[1]));
    run_all(lab);
    expect_trace("connect:ECANCELED@10");
    for (int i = 0; i < 3; i++) {
        (void)close(others[i]);
    }
    close_pair(lab, ends);
}

LAB_TEST(connect_under_way_can_be_cancelled)
{
    in_both_modes(pending_scene);
}
