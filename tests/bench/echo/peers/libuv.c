/* echo, by libuv: tries to write at once, and what is left becomes a request. */
#include "listening.h"

#include <stdbool.h>
#include <string.h>
#include <uv.h>

static char buffer[ECHO_BUFFER];

struct pending {
    uv_write_t request;
    uv_stream_t *client;
    char bytes[];
};

static void on_closed(uv_handle_t *client)
{
    free(client);
}

static void end(uv_stream_t *client)
{
    if (!uv_is_closing((uv_handle_t *)client)) {
        uv_close((uv_handle_t *)client, on_closed);
    }
}

static void on_alloc(uv_handle_t *client, size_t suggested, uv_buf_t *into)
{
    (void)client;
    (void)suggested;
    *into = uv_buf_init(buffer, sizeof buffer);
}

static void on_read(uv_stream_t *client, ssize_t n, const uv_buf_t *from);

static void on_written(uv_write_t *request, int status)
{
    struct pending *p = (struct pending *)request;

    if (status == 0) {
        (void)uv_read_start(p->client, on_alloc, on_read);
    } else {
        end(p->client);
    }
    free(p);
}

/* Nothing is read from a client that does not take its answer. */
static void write_later(uv_stream_t *client, const char *bytes, size_t size)
{
    struct pending *p = malloc(sizeof *p + size);
    uv_buf_t rest;

    if (p == NULL) {
        exit(3);
    }
    memcpy(p->bytes, bytes, size);
    p->client = client;
    rest = uv_buf_init(p->bytes, (unsigned)size);
    (void)uv_read_stop(client);
    (void)uv_write(&p->request, client, &rest, 1, on_written);
}

static void on_read(uv_stream_t *client, ssize_t n, const uv_buf_t *from)
{
    uv_buf_t all;
    int sent;

    if (n <= 0) {
        if (n < 0) {
            end(client);
        }
        return;
    }
    all = uv_buf_init(from->base, (unsigned)n);
    sent = uv_try_write(client, &all, 1);
    if (sent < 0 && sent != UV_EAGAIN) {
        end(client);
    } else if (sent < n) {
        sent = sent < 0 ? 0 : sent;
        write_later(client, from->base + sent, (size_t)(n - sent));
    }
}

static void on_connection(uv_stream_t *server, int status)
{
    uv_tcp_t *client = malloc(sizeof *client);

    if (status < 0 || client == NULL) {
        exit(3);
    }
    (void)uv_tcp_init(server->loop, client);
    if (uv_accept(server, (uv_stream_t *)client) == 0) {
        (void)uv_read_start((uv_stream_t *)client, on_alloc, on_read);
    } else {
        end((uv_stream_t *)client);
    }
}

int main(void)
{
    uv_tcp_t server;

    (void)uv_tcp_init(uv_default_loop(), &server);
    (void)uv_tcp_open(&server, open_listener());
    (void)uv_listen((uv_stream_t *)&server, SOMAXCONN, on_connection);
    return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
