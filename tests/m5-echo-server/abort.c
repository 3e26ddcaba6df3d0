/* abort.c - Step 5: the end at once, and the end without a stop. */
#include "client.h"
#include "lab_test.h"

#include <errno.h>

/* Clients whose sessions wait for a first byte, for a next one, and for room to write. */
static void connect_three(struct server_lab *lab, int clients[3])
{
    for (int i = 0; i < 2; i++) {
        clients[i] = connect_client(lab);
    }
    clients[2] = connect_small_client(lab);
    send_text(clients[1], "hello");
    expect_echo(lab, clients[1], "hello");
    (void)send_until_stuck(lab, clients[2], 1);
}

static void close_three(const int clients[3])
{
    for (int i = 0; i < 3; i++) {
        close_client(clients[i]);
    }
}

static bool is_cut_off(struct server_lab *lab, int fd)
{
    char some[4096];
    ssize_t n;

    do { /* what was sent before may come first */
        n = receive(lab, fd, some, sizeof some);
    } while (n > 0);
    return n == 0 || n == -ECONNRESET;
}

static void abort_a_server(void)
{
    struct server_lab lab;
    int64_t aborted;
    int64_t at;
    intptr_t cut;
    int clients[3];

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    await_drained(&lab, &cut, &at);
    connect_three(&lab, clients);
    step("abort the server while three clients wait for one thing or another");
    aborted = lab.v.time;
    echo_server_abort(lab.server);
    run_out(&lab);
    expect_int("the value of echo_server_drained: connections that were cut", cut, 3);
    expect_int("stats.cut", (intptr_t)echo_server_get_stats(lab.server).cut, 3);
    expect_time("when it had drained, after the call", at - aborted, 0, MILLISECONDS(1));
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, 0);
    for (int i = 0; i < 3; i++) {
        expect_true("the client is cut off", is_cut_off(&lab, clients[i]));
    }
    close_three(clients);
    close_server_lab(&lab);
}

static void abort_a_drain(void)
{
    struct server_lab lab;
    int64_t at;
    intptr_t cut;
    int clients[3];

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    await_drained(&lab, &cut, &at);
    connect_three(&lab, clients);
    step("stop the server, without a drain time-out; one client never reads");
    echo_server_stop(lab.server);
    let_pass(&lab, SECONDS(100));
    expect_int("the value of echo_server_drained: still waiting", cut, -1);
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, 1);
    step("abort it");
    echo_server_abort(lab.server);
    run_out(&lab);
    expect_int("the value of echo_server_drained: connections that were cut", cut, 1);
    close_three(clients);
    close_server_lab(&lab);
}

/* Lets a client speak, so that its session is about to run, and aborts before it does. */
struct aborter {
    task task;
    struct server_lab *lab;
    int fd;
    bool blocks; /* from the abort on the kernel takes nothing from the server */
    int64_t at;
};

static void aborter_body(co_handle frame)
{
    struct aborter *self = (struct aborter *)frame;

    CO_BEGIN(self);
    send_text(self->fd, "wait");
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    self->at = self->lab->v.time;
    echo_server_abort(self->lab->server);
    if (self->blocks) {
        inject_error(CALL_WRITE, 1, 1, 1000, EAGAIN);
    }
    CO_END(self);
}

static void keep_frame(co_handle frame)
{
    (void)frame;
}

static void run_aborter(struct aborter *aborter)
{
    (void)task_init(&aborter->task, "aborter", aborter_body, keep_frame);
    expect_int("scheduler_start(s, aborter)", scheduler_start(aborter->lab->s, &aborter->task), 0);
}

static void abort_when_a_session_is_ready(bool lingering)
{
    struct aborter aborter;
    struct server_lab lab;
    int64_t at;
    intptr_t cut;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    await_drained(&lab, &cut, &at);
    aborter = (struct aborter){.lab = &lab, .fd = connect_client(&lab)};
    let_pass(&lab, MILLISECONDS(1));
    if (lingering) {
        step("stop the server; its idle client reads the end, and does not close");
        echo_server_stop(lab.server);
        expect_end(&lab, aborter.fd);
    }
    step("the client says something, and the server is aborted before its session has run");
    run_aborter(&aborter);
    run_out(&lab);
    expect_time("when it had drained, after the call", at - aborter.at, 0, MILLISECONDS(1));
    expect_int("the value of echo_server_drained: connections that were cut", cut, !lingering);
    expect_true("the client is cut off", is_cut_off(&lab, aborter.fd));
    close_client(aborter.fd);
    close_server_lab(&lab);
}

/* The write that the session waited for has moved a part; before the session hears of it, it is
 * cut. */
static void abort_when_a_write_has_moved(void)
{
    char bytes[200] = "";
    struct aborter aborter;
    struct server_lab lab;
    int64_t at;
    intptr_t cut;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    await_drained(&lab, &cut, &at);
    aborter = (struct aborter){.lab = &lab, .fd = connect_client(&lab), .blocks = true};
    let_pass(&lab, MILLISECONDS(1));
    step("a client has sent %zu bytes, and the server waits until it can write", sizeof bytes);
    inject_error(CALL_WRITE, 1, 1, 1, EAGAIN);
    limit_transfer(CALL_WRITE, 10);
    send_bytes(aborter.fd, bytes, sizeof bytes);
    let_pass(&lab, MILLISECONDS(1));
    step("it can write 10 bytes, and is aborted before the session has run; then it could write no "
         "more");
    run_aborter(&aborter);
    let_pass(&lab, MILLISECONDS(2));
    expect_int("stats.active, 2 ms after the call",
               (intptr_t)echo_server_get_stats(lab.server).active, 0);
    run_out(&lab);
    expect_time("when it had drained, after the call", at - aborter.at, 0, MILLISECONDS(1));
    expect_int("the value of echo_server_drained: connections that were cut", cut, 1);
    limit_transfer(CALL_WRITE, 0);
    inject_error(CALL_WRITE, 1, 1, 0, 0);
    expect_true("the client is cut off", is_cut_off(&lab, aborter.fd));
    close_client(aborter.fd);
    close_server_lab(&lab);
}

LAB_TEST(abort_ends_at_once)
{
    abort_when_a_write_has_moved();
    abort_a_server();
    abort_a_drain();
    abort_when_a_session_is_ready(false);
    abort_when_a_session_is_ready(true);
}

LAB_TEST(destroyed_in_mid_session)
{
    struct server_lab lab;
    int clients[3];

    open_server_lab(&lab);
    step("the scheduler is destroyed while the server accepts, reads, and writes");
    start_server(&lab, &(echo_server_options){.idle_timeout = SECONDS(100)});
    connect_three(&lab, clients);
    expect_int("scheduler_destroy(s)", scheduler_destroy(lab.s), 0);
    lab.s = NULL;
    echo_server_destroy(lab.server);
    lab.server = NULL;
    close_three(clients);
    close_server_lab(&lab);
}
