/* echo, by hand: epoll and nothing between. The floor under what an event loop can cost.
 *
 * One buffer for all, registered once and edge-triggered, three system calls for a message: epoll_wait,
 * recv, send. What the client does not take is kept, and nothing is read from it meanwhile.
 */
#include "listening.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

struct connection {
    char *rest; /* what could not be sent; NULL: nothing */
    size_t sent, size;
};

static int epoll;
static struct connection *connections; /* by descriptor */
static char buffer[ECHO_BUFFER];

static void end(int fd)
{
    free(connections[fd].rest);
    connections[fd].rest = NULL;
    (void)close(fd);
}

static void keep(struct connection *c, const char *bytes, size_t size)
{
    c->rest = malloc(size);
    if (c->rest == NULL) {
        exit(3);
    }
    memcpy(c->rest, bytes, size);
    c->size = size;
    c->sent = 0;
}

/* False: there is still a rest, or the connection has ended. */
static bool send_rest(int fd)
{
    struct connection *c = &connections[fd];
    ssize_t n = send(fd, c->rest + c->sent, c->size - c->sent, MSG_NOSIGNAL);

    if (n < 0 && errno != EAGAIN) {
        end(fd);
        return false;
    }
    c->sent += n > 0 ? (size_t)n : 0;
    if (c->sent < c->size) {
        return false;
    }
    free(c->rest);
    c->rest = NULL;
    return true;
}

/* Until the socket is empty. A short read says so, unless the client's end has come as well. */
static void echo(int fd, bool ended)
{
    for (;;) {
        ssize_t n = recv(fd, buffer, sizeof buffer, 0), sent;

        if (n <= 0) {
            if (n == 0 || errno != EAGAIN) {
                end(fd);
            }
            return;
        }
        sent = send(fd, buffer, (size_t)n, MSG_NOSIGNAL);
        if (sent < n) {
            if (sent < 0 && errno != EAGAIN) {
                end(fd);
                return;
            }
            sent = sent < 0 ? 0 : sent;
            keep(&connections[fd], buffer + sent, (size_t)(n - sent));
            return;
        }
        if (n < (ssize_t)sizeof buffer && !ended) {
            return;
        }
    }
}

static void serve(int fd, uint32_t events)
{
    bool may_read =
        connections[fd].rest != NULL ? send_rest(fd) : (events & ~(uint32_t)EPOLLOUT) != 0;

    if (may_read) {
        echo(fd, (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
    }
}

static void accept_all(int listener)
{
    int fd;

    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                    .data.fd = fd};

        (void)epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    }
}

int main(void)
{
    int listener = open_listener();
    struct epoll_event events[256], event = {.events = EPOLLIN, .data.fd = listener};
    struct rlimit limit;

    (void)getrlimit(RLIMIT_NOFILE, &limit);
    connections = calloc(limit.rlim_cur, sizeof *connections);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    (void)epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int n = epoll_wait(epoll, events, 256, -1);

        for (int i = 0; i < n; i++) {
            if (events[i].data.fd == listener) {
                accept_all(listener);
            } else {
                serve(events[i].data.fd, events[i].events);
            }
        }
    }
}
