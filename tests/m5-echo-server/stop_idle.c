/* stop_idle.c - Step 5: a stop sends those away who say nothing, and no reset. */
#include "client.h"
#include "lab_test.h"

static void idle_clients(void)
{
    struct server_lab lab;
    int64_t stopped;
    int64_t at;
    intptr_t cut;
    int clients[3];

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    for (int i = 0; i < 3; i++) {
        clients[i] = connect_client(&lab);
        send_text(clients[i], "hello");
        expect_echo(&lab, clients[i], "hello");
    }
    await_drained(&lab, &cut, &at);
    let_pass(&lab, SECONDS(5));
    step("stop the server while three clients are idle");
    stopped = lab.v.time;
    echo_server_stop(lab.server);
    let_pass(&lab, MILLISECONDS(200));
    for (int i = 0; i < 3; i++) {
        expect_nothing_yet(clients[i]);
    }
    echo_server_stop(lab.server); /* changes nothing */
    step("after 250 ms they read the end; two close, one does nothing");
    let_pass(&lab, MILLISECONDS(100));
    for (int i = 0; i < 3; i++) {
        expect_end(&lab, clients[i]);
    }
    expect_time("when they had read it, after the stop", lab.v.time - stopped, MILLISECONDS(250),
                MILLISECONDS(400));
    close_client(clients[0]);
    close_client(clients[1]);
    run_out_drained(&lab, &at);
    expect_int("the value of echo_server_drained", cut, 0);
    expect_time("when it had drained, after the stop", at - stopped, MILLISECONDS(450),
                MILLISECONDS(800));
    close_client(clients[2]);
    close_server_lab(&lab);
}

static void idle_time_out_of_an_hour(void)
{
    struct server_lab lab;
    int64_t stopped;
    int64_t at;
    intptr_t cut;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.idle_timeout = SECONDS(3600)});
    await_drained(&lab, &cut, &at);
    fd = connect_client(&lab);
    let_pass(&lab, SECONDS(5));
    step("the idle time-out is an hour; stop the server while its client is idle");
    stopped = lab.v.time;
    echo_server_stop(lab.server);
    expect_end(&lab, fd);
    close_client(fd);
    run_out_drained(&lab, &at);
    expect_time("when it had drained, after the stop", at - stopped, MILLISECONDS(250),
                MILLISECONDS(800));
    close_server_lab(&lab);
}

static void client_speaks_after_the_end(void)
{
    struct server_lab lab;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    fd = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    step("the server is stopped, and has sent its end; only then the client sends something");
    echo_server_stop(lab.server);
    let_pass(&lab, MILLISECONDS(300));
    send_text(fd, "too late");
    let_pass(&lab, MILLISECONDS(1));
    step("it reads: the end, no echo and no reset");
    expect_end(&lab, fd);
    send_text(fd, "far too late");
    let_pass(&lab, MILLISECONDS(1));
    expect_end(&lab, fd);
    close_client(fd);
    run_out(&lab);
    expect_int("stats.errors", (intptr_t)echo_server_get_stats(lab.server).errors, 0);
    close_server_lab(&lab);
}

/* A word every 100 ms, until the server has closed. */
static void client_never_stops_speaking(void)
{
    struct server_lab lab;
    int64_t stopped;
    int64_t at;
    intptr_t cut;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    await_drained(&lab, &cut, &at);
    fd = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    step("the server is stopped, and has sent its end; from then on the client says something "
         "every 100 ms");
    stopped = lab.v.time;
    echo_server_stop(lab.server);
    expect_end(&lab, fd);
    for (int i = 0; i < 20 && at < 0; i++) {
        send_text(fd, "and");
        let_pass(&lab, MILLISECONDS(100));
    }
    expect_int("stats.active, 2 s after the end at the latest",
               (intptr_t)echo_server_get_stats(lab.server).active, 0);
    expect_time("when it had drained, after the stop", at - stopped, MILLISECONDS(450),
                MILLISECONDS(800));
    expect_int("the value of echo_server_drained", cut, 0);
    close_client(fd);
    run_out(&lab);
    close_server_lab(&lab);
}

LAB_TEST(stop_ends_idle_connections)
{
    idle_clients();
    idle_time_out_of_an_hour();
    client_speaks_after_the_end();
    client_never_stops_speaking();
}
