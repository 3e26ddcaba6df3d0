/* accept.c - Step 5: taking connections. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Accepts `wanted` connections, closes them, and counts; traces errors and goes on. */
struct acceptor {
    task task;
    struct loop_lab *lab;
    int listener;
    int wanted, accepted;
    intptr_t fd;
};

static void acceptor_body(co_handle frame)
{
    struct acceptor *self = (struct acceptor *)frame;

    CO_BEGIN(self);
    while (self->accepted < self->wanted) {
        CO_AWAIT(self, self->fd, event_loop_accept(self->lab->loop, self->listener));
        if (self->fd < 0) {
            trace("%s", strerrorname_np((int)-self->fd));
            continue;
        }
        self->accepted++;
        trace("accepted");
        expect_true("the new descriptor does not block",
                    (fcntl((int)self->fd, F_GETFL) & O_NONBLOCK) != 0);
        expect_true("the new descriptor is closed by exec",
                    (fcntl((int)self->fd, F_GETFD) & FD_CLOEXEC) != 0);
        expect_int("event_loop_close(loop, fd)", event_loop_close(self->lab->loop, (int)self->fd),
                   0);
    }
    CO_END(self);
}

static task *acceptor(struct loop_lab *lab, int listener, int wanted)
{
    struct acceptor *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->listener = listener;
    self->wanted = wanted;
    return task_init(&self->task, "acceptor", acceptor_body, NULL);
}

static void connect_two(struct loop_lab *lab, void *fds)
{
    int *clients = fds;

    (void)lab;
    clients[1] = connect_to(clients[0], true);
    clients[2] = connect_to(clients[0], true);
}

static void close_clients(const int *fds, int count)
{
    for (int i = 0; i < count; i++) {
        (void)close(fds[i]);
    }
}

static void queued_scene(struct loop_lab *lab)
{
    int listener = open_listener(16);
    int clients[5];
    int late[3] = {listener};

    step("five clients have connected before the first accept, and nobody else comes");
    for (int i = 0; i < 5; i++) {
        clients[i] = connect_to(listener, true);
    }
    spawn(lab, acceptor(lab, listener, 5));
    run_all(lab);
    expect_trace("accepted accepted accepted accepted accepted");

    trace_clear();
    step("a task waits for connections; at 10 ms two come together");
    spawn(lab, acceptor(lab, listener, 2));
    spawn(lab, later(lab, MILLISECONDS(10), connect_two, late));
    run_all(lab);
    expect_trace("accepted accepted");
    close_clients(clients, 5);
    close_clients(late + 1, 2);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, listener), 0);
}

LAB_TEST(all_queued_clients_are_accepted)
{
    in_both_modes(queued_scene);
}

static void error_scene(struct loop_lab *lab)
{
    int listener = open_listener(16);
    int clients[2];

    step("two clients have connected; accept is interrupted three times, then works");
    clients[0] = connect_to(listener, true);
    inject_error(CALL_ACCEPT, 1, 1, 3, EINTR);
    spawn(lab, acceptor(lab, listener, 1));
    run_all(lab);
    expect_trace("accepted");

    trace_clear();
    step("there is no descriptor left, and accept says so; after that there is one");
    clients[1] = connect_to(listener, true);
    inject_error(CALL_ACCEPT, 1, 1, 1, EMFILE);
    spawn(lab, acceptor(lab, listener, 1));
    run_all(lab);
    expect_trace("EMFILE accepted");
    close_clients(clients, 2);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, listener), 0);
}

static void connect_in_vain(struct loop_lab *lab, void *fds)
{
    (void)lab;
    ((int *)fds)[1] = connect_to(((int *)fds)[0], true);
    inject_error(CALL_ACCEPT, 1, 1, 1, EAGAIN);
}

static void connect_again(struct loop_lab *lab, void *fds)
{
    (void)lab;
    ((int *)fds)[2] = connect_to(((int *)fds)[0], true);
}

static void vain_scene(struct loop_lab *lab)
{
    int fds[3] = {open_listener(16)};

    step("a client comes at 10 ms, but accept says EAGAIN; another comes at 20 ms");
    spawn(lab, acceptor(lab, fds[0], 2));
    spawn(lab, later(lab, MILLISECONDS(10), connect_in_vain, fds));
    spawn(lab, later(lab, MILLISECONDS(20), connect_again, fds));
    run_all(lab);
    expect_trace("accepted accepted");
    close_clients(fds + 1, 2);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, fds[0]), 0);
}

/* Accepts one connection, and lets a reader wait for it. */
struct host {
    task task;
    struct loop_lab *lab;
    int listener;
    intptr_t fd;
};

static void host_body(co_handle frame)
{
    struct host *self = (struct host *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->fd, event_loop_accept(self->lab->loop, self->listener));
    CO_AWAIT(self, self->task.ignored, task_await(reader(self->lab, "new", (int)self->fd, 64, 5)));
    CO_RETURN(self, self->fd);
    CO_END(self);
}

static void keep_frame(co_handle frame)
{
    (void)frame;
}

/* The kernel gives the lowest number that is free. */
static void known_number_scene(struct loop_lab *lab)
{
    int listener = open_listener(16);
    struct host host = {.lab = lab, .listener = listener};
    int pair[2];
    int client;

    open_pair(pair);
    step("a task has waited for a socket, which is then closed by close(2): the loop is not told");
    spawn(lab, reader(lab, "old", pair[0], 64, 5));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    run_all(lab);
    client = connect_to(listener, true);
    (void)close(pair[0]);

    step("a connection is accepted, under that number; a task waits for it; data come at 20 ms");
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){client, "hello"}));
    start(lab, task_init(&host.task, "host", host_body, keep_frame));
    run_all(lab);
    expect_int("the number of the accepted socket", host.fd, pair[0]);
    expect_trace("old:hello new:hello");
    close_pair(lab, pair);
    (void)close(client);
    expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, listener), 0);
}

LAB_TEST(accepted_number_is_a_new_one)
{
    in_both_modes(known_number_scene);
}

LAB_TEST(accept_tells_errors_and_goes_on)
{
    in_both_modes(error_scene);
    in_both_modes(vain_scene);
}
