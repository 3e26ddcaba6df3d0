/* sockets.c - descriptors for the scenes of milestone 4, and what their other ends do. */
#include "sockets.h"

#include "lab_test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A test cannot go on without these; that is nobody's fault but the machine's. */
static void need(const char *call, bool worked)
{
    if (!worked) {
        fail_test("the test could not set its scene: %s: %s", call, strerror(errno));
    }
}

void open_pair(int pair[2])
{
    const int small = 4096;

    watch_calls(false);
    need("socketpair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    for (int i = 0; i < 2; i++) {
        need("setsockopt", setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
    }
    watch_calls(true);
}

void open_tcp_pair(int pair[2])
{
    int listener = open_listener(1);

    watch_calls(false);
    pair[1] = connect_to(listener, true);
    watch_calls(false);
    pair[0] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    need("accept4", pair[0] >= 0);
    (void)close(listener);
    watch_calls(true);
}

void open_pipe(int ends[2])
{
    need("pipe2", pipe2(ends, O_CLOEXEC) == 0);
}

void close_pair(struct loop_lab *lab, int pair[2])
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0) {
            expect_int("event_loop_close(loop, fd)", event_loop_close(lab->loop, pair[i]), 0);
        }
    }
}

int open_listener(int backlog)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int listener;

    watch_calls(false);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    need("socket", listener >= 0);
    need("bind", bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    need("listen", listen(listener, backlog) == 0);
    watch_calls(true);
    return listener;
}

struct sockaddr_in address_of(int socket)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;

    need("getsockname", getsockname(socket, (struct sockaddr *)&address, &size) == 0);
    return address;
}

int connect_to(int listener, bool block)
{
    struct sockaddr_in address = address_of(listener);
    int fd;

    watch_calls(false);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | (block ? 0 : SOCK_NONBLOCK), 0);
    need("socket", fd >= 0);
    need("connect", connect(fd, (struct sockaddr *)&address, sizeof address) == 0 || !block);
    watch_calls(true);
    return fd;
}

static void make_non_blocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    need("fcntl", flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0);
}

size_t fill(int fd)
{
    static const char zeros[1024];
    size_t total = 0;
    ssize_t n;

    watch_calls(false);
    make_non_blocking(fd);
    for (size_t piece = sizeof zeros; piece > 0; piece /= 2) { /* to the last byte */
        while ((n = write(fd, zeros, piece)) > 0) {
            total += (size_t)n;
        }
    }
    watch_calls(true);
    return total;
}

size_t drain(int fd)
{
    char buffer[1024];
    size_t total = 0;
    ssize_t n;

    watch_calls(false);
    make_non_blocking(fd);
    while ((n = read(fd, buffer, sizeof buffer)) > 0) {
        total += (size_t)n;
    }
    watch_calls(true);
    return total;
}

void say(struct loop_lab *lab, void *speech)
{
    const struct speech *s = speech;

    (void)lab;
    watch_calls(false);
    need("write", write(s->fd, s->text, strlen(s->text)) == (ssize_t)strlen(s->text));
    watch_calls(true);
}

void close_end(struct loop_lab *lab, void *fd)
{
    int *end = fd;

    (void)lab;
    watch_calls(false);
    need("close", close(*end) == 0);
    *end = -1;
    watch_calls(true);
}

void reset_end(struct loop_lab *lab, void *fd)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    need("setsockopt",
         setsockopt(*(int *)fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
    close_end(lab, fd);
}

void drain_end(struct loop_lab *lab, void *fd)
{
    (void)lab;
    (void)drain(*(int *)fd);
}

void destroy_it(struct loop_lab *lab, void *slot)
{
    (void)lab;
    watch_calls(true);
    expect_int("task_destroy(t)", task_destroy(task_take(slot)), 0);
}

void stop_loop(struct loop_lab *lab, void *unused)
{
    (void)unused;
    watch_calls(true);
    event_loop_stop(lab->loop);
}
