/* start.c - Step 1: the server binds, listens and says where. */
#include "client.h"
#include "lab_test.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void start_on(struct server_lab *lab, const char *host, const char *format)
{
    char expected[64];
    echo_server_stats stats;
    int fd;

    step("start a server on %s, port 0", host != NULL ? host : "the default address");
    open_server_lab(lab);
    start_server(lab, &(echo_server_options){.host = host});
    expect_between("echo_server_port(server)", echo_server_port(lab->server), 1, 65535);
    (void)snprintf(expected, sizeof expected, format, echo_server_port(lab->server));
    expect_string("echo_server_address(server)", echo_server_address(lab->server), expected);
    if (strchr(expected, '[') == NULL) {
        fd = connect_client(lab);
        let_pass(lab, MILLISECONDS(1));
        stats = echo_server_get_stats(lab->server);
        expect_int("stats.accepted", (intptr_t)stats.accepted, 1);
        expect_int("stats.active", (intptr_t)stats.active, 1);
        close_client(fd);
        let_pass(lab, MILLISECONDS(1));
        stats = echo_server_get_stats(lab->server);
        expect_int("stats.accepted", (intptr_t)stats.accepted, 1);
        expect_int("stats.active, when the client has gone", (intptr_t)stats.active, 0);
        expect_int("stats.errors", (intptr_t)stats.errors, 0);
    }
    close_server_lab(lab);
}

static bool has_ipv6(void)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    bool has;
    int fd;

    watch_calls(false);
    fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    has = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    watch_calls(true);
    return has;
}

static void port_zero(void)
{
    struct server_lab lab;

    start_on(&lab, NULL, "127.0.0.1:%u");
    start_on(&lab, "127.0.0.1", "127.0.0.1:%u");
    if (has_ipv6()) {
        start_on(&lab, "::1", "[::1]:%u");
    }
}

/* Starts a server that cannot start; nothing may be left of it. */
static void expect_refusal(struct server_lab *lab, const echo_server_options *options, int error)
{
    echo_server *server = NULL;
    int descriptors = open_descriptors();
    size_t blocks = live_blocks();

    expect_int("echo_server_start(&server, loop, options)",
               echo_server_start(&server, lab->loop, options), error);
    expect_int("descriptors open afterwards, against before", open_descriptors(), descriptors);
    expect_int("live blocks of memory afterwards, against before", (intptr_t)live_blocks(),
               (intptr_t)blocks);
}

LAB_TEST(failed_start_leaves_nothing)
{
    struct server_lab lab;
    event_loop *with_timers;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    step("start a second server on the same port");
    expect_refusal(&lab, &(echo_server_options){.port = echo_server_port(lab.server)}, -EADDRINUSE);
    step("start one on an address that is not this machine's");
    expect_refusal(&lab, &(echo_server_options){.host = "192.0.2.1"}, -EADDRNOTAVAIL);
    step("start one with a negative idle time-out, then with a negative drain time-out");
    expect_refusal(&lab, &(echo_server_options){.idle_timeout = -1}, -EINVAL);
    expect_refusal(&lab, &(echo_server_options){.drain_timeout = -1}, -EINVAL);
    step("start one while the kernel has no descriptor left");
    inject_error(CALL_NEW_FD, 1, 1, 1, EMFILE);
    expect_refusal(&lab, &(echo_server_options){.port = 0}, -EMFILE);

    step("start one on a loop without timers");
    with_timers = lab.loop;
    lab.loop = event_loop_create(lab.s, NULL, 0);
    expect_refusal(&lab, &(echo_server_options){.port = 0}, -EINVAL);
    event_loop_destroy(lab.loop);
    lab.loop = with_timers;
    close_server_lab(&lab);
    echo_server_destroy(NULL);
}

static void same_port_again(void)
{
    struct server_lab lab;
    uint16_t port;
    int fd;

    open_server_lab(&lab);
    step("a server with a client is stopped; the server closes the connection first");
    start_server(&lab, &(echo_server_options){.port = 0});
    port = echo_server_port(lab.server);
    fd = connect_client(&lab);
    let_pass(&lab, MILLISECONDS(1));
    echo_server_stop(lab.server);
    expect_end(&lab, fd);
    close_client(fd);
    run_out(&lab);
    echo_server_destroy(lab.server);
    lab.server = NULL;

    step("start another on the same port");
    start_server(&lab, &(echo_server_options){.port = port});
    fd = connect_client(&lab);
    send_text(fd, "hello");
    expect_echo(&lab, fd, "hello");
    close_client(fd);
    close_server_lab(&lab);
}

LAB_TEST(port_zero_and_the_same_port_again)
{
    port_zero();
    same_port_again();
}
