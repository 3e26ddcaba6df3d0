/* echo, by libevent's bufferevents: what came in is moved to what goes out, without a copy. */
#include "listening.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>

static void on_written(struct bufferevent *client, void *context)
{
    (void)context;
    if ((bufferevent_get_enabled(client) & EV_READ) == 0) {
        (void)bufferevent_enable(client, EV_READ);
    }
}

/* Nothing is read from a client that does not take its answer. */
static void on_read(struct bufferevent *client, void *context)
{
    struct evbuffer *output = bufferevent_get_output(client);

    (void)context;
    (void)evbuffer_add_buffer(output, bufferevent_get_input(client));
    if (evbuffer_get_length(output) > ECHO_BUFFER) {
        (void)bufferevent_disable(client, EV_READ);
    }
}

static void on_end(struct bufferevent *client, short what, void *context)
{
    (void)what;
    (void)context;
    bufferevent_free(client);
}

static void on_connection(struct evconnlistener *listener, evutil_socket_t fd,
                          struct sockaddr *address, int size, void *context)
{
    struct event_base *base = evconnlistener_get_base(listener);
    struct bufferevent *client = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);

    (void)address;
    (void)size;
    (void)context;
    if (client == NULL) {
        exit(3);
    }
    (void)bufferevent_set_max_single_read(client, ECHO_BUFFER);
    (void)bufferevent_set_max_single_write(client, ECHO_BUFFER);
    bufferevent_setcb(client, on_read, on_written, on_end, NULL);
    (void)bufferevent_enable(client, EV_READ);
}

int main(void)
{
    struct event_base *base = event_base_new();
    unsigned options = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC;

    if (evconnlistener_new(base, on_connection, NULL, options, 0, open_listener()) == NULL) {
        return 3;
    }
    return event_base_dispatch(base);
}
