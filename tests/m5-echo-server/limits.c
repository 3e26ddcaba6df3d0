/* limits.c - Step 4: when descriptors or places run out. */
#include "client.h"
#include "lab_test.h"

#include <errno.h>

/* From now on accept finds no free descriptor; or it does again. (A lower RLIMIT_NOFILE would be closer
 * to life, but valgrind then accepts the connection and drops it.) */
static void forbid_descriptors(bool forbid)
{
    inject_error(CALL_ACCEPT, 1, 1, forbid ? 10 * 1000 : 0, EMFILE);
}

static void none_left_for_the_third(void)
{
    struct server_lab lab;
    unsigned long accepts;
    unsigned long waits;
    int clients[2];
    int last;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    for (int i = 0; i < 2; i++) {
        clients[i] = connect_client(&lab);
        send_text(clients[i], "hello");
        expect_echo(&lab, clients[i], "hello");
    }
    step("a third client comes, and there is no descriptor left; a second passes");
    last = connect_client(&lab);
    send_text(last, "at last");
    forbid_descriptors(true);
    accepts = call_count(CALL_ACCEPT);
    waits = call_count(CALL_EPOLL_WAIT);
    let_pass(&lab, SECONDS(1));
    expect_nothing_yet(last);
    expect_between("calls of accept", (int64_t)(call_count(CALL_ACCEPT) - accepts), 1, 50);
    expect_between("calls of epoll_wait", (int64_t)(call_count(CALL_EPOLL_WAIT) - waits), 1, 100);
    expect_between("stats.pauses", (int64_t)echo_server_get_stats(lab.server).pauses, 1, 50);
    step("the others are served meanwhile");
    send_text(clients[1], "still");
    expect_echo(&lab, clients[1], "still");
    step("the first goes, so that a descriptor is free");
    forbid_descriptors(false);
    end_sending(clients[0]);
    let_pass(&lab, SECONDS(1));
    expect_echo(&lab, last, "at last");
    close_client(clients[0]);
    close_client(clients[1]);
    close_client(last);
    close_server_lab(&lab);
}

static void none_left_for_the_first(void)
{
    struct server_lab lab;
    unsigned long accepts;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    step("there is no descriptor for the only client; later there is one, which nobody tells");
    fd = connect_client(&lab);
    send_text(fd, "hello");
    forbid_descriptors(true);
    accepts = call_count(CALL_ACCEPT);
    let_pass(&lab, SECONDS(1));
    expect_between("calls of accept in a second", (int64_t)(call_count(CALL_ACCEPT) - accepts), 1,
                   50);
    forbid_descriptors(false);
    let_pass(&lab, SECONDS(2));
    expect_echo(&lab, fd, "hello");
    close_client(fd);
    close_server_lab(&lab);
}

/* What the acceptor will wait for has happened when it begins to wait. */
static void one_goes_as_another_comes(void)
{
    struct server_lab lab;
    int stays;
    int goes;
    int comes;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    stays = connect_client(&lab);
    goes = connect_client(&lab);
    send_text(goes, "hello");
    expect_echo(&lab, goes, "hello");
    step("one client goes and another comes before the server looks again; accept finds no free "
         "descriptor, once; a third client says nothing all the time");
    inject_error(CALL_ACCEPT, 1, 1, 1, EMFILE);
    close_client(goes);
    comes = connect_client(&lab);
    send_text(comes, "at last");
    let_pass(&lab, SECONDS(2));
    expect_echo(&lab, comes, "at last");
    close_client(stays);
    close_client(comes);
    close_server_lab(&lab);
}

LAB_TEST(no_descriptor_left)
{
    none_left_for_the_third();
    none_left_for_the_first();
    one_goes_as_another_comes();
}

LAB_TEST(no_more_than_max_connections)
{
    struct server_lab lab;
    unsigned long accepts;
    int clients[4];

    open_server_lab(&lab);
    step("start a server for two clients; then the options that it was given are overwritten");
    start_server(&lab, &(echo_server_options){.max_connections = 2});
    step("four clients come");
    for (int i = 0; i < 4; i++) {
        clients[i] = connect_client(&lab);
        send_text(clients[i], "hello");
    }
    let_pass(&lab, MILLISECONDS(1));
    accepts = call_count(CALL_ACCEPT);
    let_pass(&lab, SECONDS(1));
    expect_echo(&lab, clients[0], "hello");
    expect_echo(&lab, clients[1], "hello");
    expect_nothing_yet(clients[2]);
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, 2);
    expect_int("stats.accepted", (intptr_t)echo_server_get_stats(lab.server).accepted, 2);
    expect_true("stats.pauses", echo_server_get_stats(lab.server).pauses >= 1);
    expect_between("calls of accept in a second", (int64_t)(call_count(CALL_ACCEPT) - accepts), 0,
                   10);
    step("they go, one after the other");
    close_client(clients[0]);
    expect_echo(&lab, clients[2], "hello");
    expect_nothing_yet(clients[3]);
    reset_client(clients[1]);
    expect_echo(&lab, clients[3], "hello");
    close_client(clients[2]);
    close_client(clients[3]);
    close_server_lab(&lab);
}
