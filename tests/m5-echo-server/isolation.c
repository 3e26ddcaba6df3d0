/* isolation.c - Step 3: what goes wrong with one client is no other client's business. */
#include "client.h"
#include "lab_test.h"

#include <errno.h>

/* A bystander, who must not notice anything. */
static int connect_bystander(struct server_lab *lab)
{
    int fd = connect_client(lab);

    send_text(fd, "good");
    expect_echo(lab, fd, "good");
    return fd;
}

static void expect_served(struct server_lab *lab, int fd)
{
    int next;

    step("another client is served on, and so is a new one");
    send_text(fd, "morning");
    expect_echo(lab, fd, "morning");
    next = connect_client(lab);
    send_text(next, "evening");
    expect_echo(lab, next, "evening");
    close_client(next);
    let_pass(lab, MILLISECONDS(1));
}

LAB_TEST(who_does_not_read_stops_nobody)
{
    struct server_lab lab;
    size_t sent;
    int bystander;
    int slow;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    bystander = connect_bystander(&lab);
    slow = connect_small_client(&lab);
    step("a client sends as much as it can, and reads nothing");
    sent = send_until_stuck(&lab, slow, 5);
    expect_served(&lab, bystander);
    step("now it reads: it gets its own bytes");
    expect_pattern(&lab, slow, 0, sent, 5);
    close_client(slow);
    close_client(bystander);
    close_server_lab(&lab);
}

/* A session belongs to nobody who could take its error. */
static void expect_no_lost_error(unsigned long before)
{
    expect_int("errors that sessions have thrown, and nobody took",
               (intptr_t)(task_lost_errors() - before), 0);
}

static void clients_reset(void)
{
    struct server_lab lab;
    int descriptors;
    int bystander;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    bystander = connect_bystander(&lab);
    descriptors = open_descriptors();

    step("a client resets its connection before the server has accepted it");
    fd = connect_client(&lab);
    send_text(fd, "x");
    reset_client(fd);
    let_pass(&lab, MILLISECONDS(1));
    expect_served(&lab, bystander);

    step("a client resets its connection when the server waits for it");
    fd = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    reset_client(fd);
    let_pass(&lab, MILLISECONDS(1));
    expect_served(&lab, bystander);

    step("a client resets its connection while the server cannot get rid of its bytes");
    fd = connect_small_client(&lab);
    (void)send_until_stuck(&lab, fd, 1);
    reset_client(fd);
    let_pass(&lab, MILLISECONDS(1));
    expect_served(&lab, bystander);

    expect_int("stats.active: the bystander", (intptr_t)echo_server_get_stats(lab.server).active,
               1);
    expect_between("stats.errors", (int64_t)echo_server_get_stats(lab.server).errors, 2, 3);
    expect_int("descriptors that the server has left open", open_descriptors(), descriptors);
    close_client(bystander);
    close_server_lab(&lab);
}

static void clients_close_unread(void)
{
    struct server_lab lab;
    int bystander;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    bystander = connect_bystander(&lab);
    step("a client sends much, and closes without reading: the server writes to nobody");
    fd = connect_small_client(&lab);
    (void)send_until_stuck(&lab, fd, 1);
    close_client(fd);
    let_pass(&lab, MILLISECONDS(5));
    step("another sends twice, and closes at once");
    fd = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    send_text(fd, "x");
    send_text(fd, "y");
    close_client(fd);
    let_pass(&lab, MILLISECONDS(5));
    expect_served(&lab, bystander);
    expect_int("stats.active: the bystander", (intptr_t)echo_server_get_stats(lab.server).active,
               1);
    close_client(bystander);
    close_server_lab(&lab);
}

LAB_TEST(lost_client_disturbs_nobody)
{
    unsigned long before = task_lost_errors();

    clients_reset();
    clients_close_unread();
    expect_no_lost_error(before);
}

/* The one call of this kind that the server makes next fails. */
static void fail_one(struct server_lab *lab, enum lab_call call, int error)
{
    int bystander = connect_bystander(lab);
    int victim = connect_bystander(lab);
    uint64_t errors = echo_server_get_stats(lab->server).errors;
    char byte;

    inject_error(call, 1, 1, 1, error);
    send_text(victim, "x");
    expect_true("the victim is cut off", receive(lab, victim, &byte, 1) <= 0);
    expect_int("stats.errors, one more", (intptr_t)echo_server_get_stats(lab->server).errors,
               (intptr_t)errors + 1);
    expect_served(lab, bystander);
    close_client(victim);
    close_client(bystander);
}

static void session_calls_fail(void)
{
    struct server_lab lab;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    step("reading from one client fails with ETIMEDOUT");
    fail_one(&lab, CALL_READ, ETIMEDOUT);
    step("writing to one client fails with EHOSTUNREACH");
    fail_one(&lab, CALL_WRITE, EHOSTUNREACH);
    close_server_lab(&lab);
}

static void accept_fails(void)
{
    const int errors[] = {ECONNABORTED, EPROTO, EINTR, ENETDOWN, EHOSTUNREACH, EAGAIN};
    struct server_lab lab;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    let_pass(&lab, MILLISECONDS(1));
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        int first;

        step("accept fails once (error %d), as for a client that has gone; the next one comes",
             errors[i]);
        inject_error(CALL_ACCEPT, 1, 1, 1, errors[i]);
        first = connect_client(&lab);
        let_pass(&lab, MILLISECONDS(1));
        fd = connect_client(&lab);
        send_text(fd, "hello");
        expect_echo(&lab, fd, "hello");
        close_client(first);
        close_client(fd);
    }
    close_server_lab(&lab);
}

LAB_TEST(failed_call_ends_one_connection)
{
    unsigned long before = task_lost_errors();

    session_calls_fail();
    accept_fails();
    expect_no_lost_error(before);
}
