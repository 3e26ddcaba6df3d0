/* echo, by libev. */
#include "listening.h"

#include <errno.h>
#include <ev.h>
#include <string.h>
#include <unistd.h>

static char buffer[ECHO_BUFFER];

struct connection {
    ev_io watcher;
    char *rest; /* what could not be sent; NULL: nothing */
    size_t sent, size;
};

static void on_event(struct ev_loop *loop, ev_io *watcher, int events);

static void end(struct ev_loop *loop, struct connection *c)
{
    ev_io_stop(loop, &c->watcher);
    (void)close(c->watcher.fd);
    free(c->rest);
    free(c);
}

static void wait_for(struct ev_loop *loop, struct connection *c, int events)
{
    ev_io_stop(loop, &c->watcher);
    ev_io_set(&c->watcher, c->watcher.fd, events);
    ev_io_start(loop, &c->watcher);
}

/* Nothing is read from a client that does not take its answer. */
static void send_later(struct ev_loop *loop, struct connection *c, const char *bytes, size_t size)
{
    c->rest = malloc(size);
    if (c->rest == NULL) {
        exit(3);
    }
    memcpy(c->rest, bytes, size);
    c->size = size;
    c->sent = 0;
    wait_for(loop, c, EV_WRITE);
}

static void send_rest(struct ev_loop *loop, struct connection *c)
{
    ssize_t n = send(c->watcher.fd, c->rest + c->sent, c->size - c->sent, MSG_NOSIGNAL);

    if (n < 0 && errno != EAGAIN) {
        end(loop, c);
        return;
    }
    c->sent += n > 0 ? (size_t)n : 0;
    if (c->sent == c->size) {
        free(c->rest);
        c->rest = NULL;
        wait_for(loop, c, EV_READ);
    }
}

static void echo(struct ev_loop *loop, struct connection *c)
{
    ssize_t n = recv(c->watcher.fd, buffer, sizeof buffer, 0), sent;

    if (n <= 0) {
        if (n == 0 || errno != EAGAIN) {
            end(loop, c);
        }
        return;
    }
    sent = send(c->watcher.fd, buffer, (size_t)n, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) {
        end(loop, c);
    } else if (sent < n) {
        sent = sent < 0 ? 0 : sent;
        send_later(loop, c, buffer + sent, (size_t)(n - sent));
    }
}

static void on_event(struct ev_loop *loop, ev_io *watcher, int events)
{
    struct connection *c = (struct connection *)watcher;

    if ((events & EV_WRITE) != 0) {
        send_rest(loop, c);
    } else {
        echo(loop, c);
    }
}

static void on_connection(struct ev_loop *loop, ev_io *listener, int events)
{
    int fd;

    (void)events;
    while ((fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct connection *c = calloc(1, sizeof *c);

        if (c == NULL) {
            exit(3);
        }
        ev_io_init(&c->watcher, on_event, fd, EV_READ);
        ev_io_start(loop, &c->watcher);
    }
}

int main(void)
{
    struct ev_loop *loop = ev_default_loop(0);
    ev_io listener;

    ev_io_init(&listener, on_connection, open_listener(), EV_READ);
    ev_io_start(loop, &listener);
    (void)ev_run(loop, 0);
    return 0;
}
