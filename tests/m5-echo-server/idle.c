/* idle.c - Step 4: when nobody says anything: the time-out, and a server that sleeps. */
#include "client.h"
#include "lab_test.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum { PORTION = 512, SAY = 120 * PORTION, MOST_DESCRIPTORS = 1024 };

static void silent_and_stuck(void)
{
    struct server_lab lab;
    int silent;
    int active;
    int stuck;

    open_server_lab(&lab);
    step("the idle time-out is 1 s; one client is silent, one says something every 600 ms, one "
         "sends "
         "much and does not read");
    start_server(&lab, &(echo_server_options){.idle_timeout = SECONDS(1)});
    silent = connect_client(&lab);
    active = connect_client(&lab);
    stuck = connect_small_client(&lab);
    send_text(silent, "hello");
    expect_echo(&lab, silent, "hello");
    for (int i = 0; i < 5; i++) {
        if (i == 1) {
            (void)send_until_stuck(&lab, stuck, 1);
        }
        send_text(active, "tick");
        expect_echo(&lab, active, "tick");
        let_pass(&lab, MILLISECONDS(600));
        if (i == 0) {
            expect_nothing_yet(silent);
        }
        if (i == 2) {
            expect_end(&lab, silent);
            close_client(silent);
        }
    }
    expect_int("stats.timed_out", (intptr_t)echo_server_get_stats(lab.server).timed_out, 2);
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, 1);
    expect_int("stats.errors", (intptr_t)echo_server_get_stats(lab.server).errors, 0);
    close_client(active);
    close_client(stuck);
    close_server_lab(&lab);
}

/* From now on little fits between the server's end of this connection and a small client. */
static void make_other_end_small(int client)
{
    const int small = 1;
    struct sockaddr_in own;
    struct sockaddr_in peer;
    socklen_t size = sizeof own;

    expect_int("getsockname(client, ...)", getsockname(client, (struct sockaddr *)&own, &size), 0);
    for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
        size = sizeof peer;
        if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 &&
            peer.sin_port == own.sin_port) {
            (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
        }
    }
}

static uint64_t echoed(const struct server_lab *lab)
{
    return echo_server_get_stats(lab->server).bytes;
}

/* A client that has said its say takes the echo little by little: nothing comes in any more, but
 * bytes go out. */
static void slow_reader(void)
{
    static char bytes[SAY];
    struct server_lab lab;
    size_t got = 0;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.idle_timeout = SECONDS(10)});
    fd = connect_small_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    make_other_end_small(fd);
    step("the idle time-out is 10 s; a client sends %d bytes, and reads only every 6 s, until the "
         "server can write on",
         SAY);
    fill_pattern(bytes, SAY, 6);
    send_bytes(fd, bytes, SAY);
    for (int i = 0; i < 4 && got < SAY; i++) {
        uint64_t before;

        let_pass(&lab, SECONDS(6));
        for (before = echoed(&lab); got < SAY && echoed(&lab) == before; got += PORTION) {
            expect_back(&lab, fd, bytes + got, PORTION);
        }
    }
    step("it reads the rest");
    for (; got < SAY; got += PORTION) {
        expect_back(&lab, fd, bytes + got, PORTION);
    }
    expect_int("stats.timed_out", (intptr_t)echo_server_get_stats(lab.server).timed_out, 0);
    close_client(fd);
    close_server_lab(&lab);
}

LAB_TEST(idle_connections_are_closed)
{
    silent_and_stuck();
    slow_reader();
}

/* Five clients have had their echo; in the time that follows nobody says anything. */
static void be_idle(const echo_server_options *options, int64_t duration)
{
    struct server_lab lab;
    unsigned long waits;
    unsigned long reads;
    int clients[5];

    open_server_lab(&lab);
    start_server(&lab, options);
    for (int i = 0; i < 5; i++) {
        clients[i] = connect_client(&lab);
        send_text(clients[i], "hello");
        expect_echo(&lab, clients[i], "hello");
    }
    waits = call_count(CALL_EPOLL_WAIT);
    reads = call_count(CALL_READ);
    let_pass(&lab, duration);
    expect_between("calls of epoll_wait", (int64_t)(call_count(CALL_EPOLL_WAIT) - waits), 1, 4);
    expect_int("calls of read", (intptr_t)(call_count(CALL_READ) - reads), 0);
    for (int i = 0; i < 5; i++) {
        close_client(clients[i]);
    }
    close_server_lab(&lab);
}

LAB_TEST(idle_server_does_nothing)
{
    step("five clients have had their echo; then nobody says anything for 100 s");
    be_idle(&(echo_server_options){.port = 0}, SECONDS(100));
    step("the same for 50 s, with an idle time-out of 100 s");
    be_idle(&(echo_server_options){.idle_timeout = SECONDS(100)}, SECONDS(50));
}
