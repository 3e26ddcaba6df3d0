/* stop.c - Step 5: a stop loses no byte, and ends. */
#include "client.h"
#include "lab_test.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_in_vain(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int result;
    int fd;

    watch_calls(false);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    result = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : -errno;
    (void)close(fd);
    watch_calls(true);
    return result;
}

static void stop_twice(void)
{
    struct server_lab lab;
    intptr_t cut;
    int64_t at;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.drain_timeout = SECONDS(10)});
    await_drained(&lab, &cut, &at);
    let_pass(&lab, SECONDS(1));
    expect_int("the value of echo_server_drained: still waiting", cut, -1);
    step("stop a server that nobody has come to, twice");
    echo_server_stop(lab.server);
    echo_server_stop(lab.server);
    run_out_drained(&lab, &at);
    expect_int("the value of echo_server_drained", cut, 0);
    expect_time("when it had drained", at, SECONDS(1), SECONDS(1) + MILLISECONDS(1));
    expect_int("connect to it now", connect_in_vain(echo_server_port(lab.server)), -ECONNREFUSED);
    step("wait for the end once more: it is over");
    await_drained(&lab, &cut, &at);
    run_out(&lab);
    expect_int("the value of echo_server_drained", cut, 0);
    close_server_lab(&lab);
}

static void stop_while_full(void)
{
    struct server_lab lab;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.max_connections = 1});
    fd = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    step("stop a server that has as many clients as it may");
    echo_server_stop(lab.server);
    let_pass(&lab, MILLISECONDS(1));
    expect_int("connect to it now", connect_in_vain(echo_server_port(lab.server)), -ECONNREFUSED);
    expect_end(&lab, fd);
    close_client(fd);
    run_out(&lab);
    close_server_lab(&lab);
}

static void stop_before_the_first_round(void)
{
    struct server_lab lab;
    int64_t at;
    intptr_t cut;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.drain_timeout = SECONDS(10)});
    await_drained(&lab, &cut, &at);
    step("stop a server before the loop has run; a client that says nothing is connected already");
    fd = connect_client(&lab);
    echo_server_stop(lab.server);
    expect_end(&lab, fd);
    run_out_drained(&lab, &at);
    expect_int("the value of echo_server_drained", cut, 0);
    expect_time("when it had drained", at, MILLISECONDS(250), MILLISECONDS(900));
    close_client(fd);
    close_server_lab(&lab);
}

LAB_TEST(stop_closes_the_listener)
{
    stop_twice();
    stop_while_full();
    stop_before_the_first_round();
}

LAB_TEST(stop_lets_an_echo_finish)
{
    struct server_lab lab;
    intptr_t cut;
    int64_t at;
    size_t sent;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    await_drained(&lab, &cut, &at);
    fd = connect_small_client(&lab);
    step("a client has sent much and read nothing when the server is stopped; it begins to read a "
         "second later");
    sent = send_until_stuck(&lab, fd, 4);
    echo_server_stop(lab.server);
    let_pass(&lab, SECONDS(1));
    expect_int("connect to it now", connect_in_vain(echo_server_port(lab.server)), -ECONNREFUSED);
    expect_pattern(&lab, fd, 0, sent, 4);
    expect_end(&lab, fd);
    close_client(fd);
    run_out(&lab);
    expect_int("the value of echo_server_drained", cut, 0);
    close_server_lab(&lab);
}

LAB_TEST(stop_still_takes_what_is_on_its_way)
{
    struct server_lab lab;
    int queued;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    fd = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    step("a second client has connected and said hello, and the server has had no time to accept "
         "it, "
         "when it is stopped");
    queued = connect_client(&lab);
    send_text(queued, "hello");
    echo_server_stop(lab.server);
    expect_echo(&lab, queued, "hello");
    step("100 ms and 300 ms after the stop, the first sends something");
    let_pass(&lab, MILLISECONDS(100));
    send_text(fd, "late");
    expect_echo(&lab, fd, "late");
    let_pass(&lab, MILLISECONDS(200));
    send_text(fd, "later");
    expect_echo(&lab, fd, "later");
    step("then it is quiet for 250 ms");
    let_pass(&lab, MILLISECONDS(300));
    expect_end(&lab, fd);
    close_client(fd);
    close_client(queued);
    run_out(&lab);
    close_server_lab(&lab);
}

LAB_TEST(drain_time_out_cuts)
{
    struct server_lab lab;
    int64_t stopped;
    int64_t at;
    intptr_t cut;
    int stuck;
    int idle;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.drain_timeout = SECONDS(2)});
    await_drained(&lab, &cut, &at);
    stuck = connect_small_client(&lab);
    idle = connect_client(&lab);
    step("one client has sent much and never reads, another is idle; stop with 2 s for the rest");
    (void)send_until_stuck(&lab, stuck, 1);
    stopped = lab.v.time;
    echo_server_stop(lab.server);
    expect_end(&lab, idle);
    close_client(idle);
    run_out_drained(&lab, &at);
    expect_int("the value of echo_server_drained: connections that were cut", cut, 1);
    expect_int("stats.cut", (intptr_t)echo_server_get_stats(lab.server).cut, 1);
    expect_time("when it had drained, after the stop", at - stopped, SECONDS(2),
                SECONDS(2) + MILLISECONDS(100));
    close_client(stuck);
    close_server_lab(&lab);
}
