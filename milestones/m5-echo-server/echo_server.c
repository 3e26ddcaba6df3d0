/* echo_server.c - milestone 5: yours to write. README.md goes step by step; echo_server.h says what
 * each must do, docs/protocol.md what the server promises to its clients.
 */
#include "echo_server.h"

#include "not_implemented.h"

struct echo_server {
    event_loop *loop;
    echo_server_options options;
    echo_server_stats stats;
    /* yours: the listener, the connections, ... */
};

/* ---- Step 1: listen and accept ------------------------------------------- */

int echo_server_start(echo_server **server, event_loop *loop, const echo_server_options *options)
{
    (void)server;
    (void)loop;
    (void)options;
    not_implemented();
}

const char *echo_server_address(const echo_server *server)
{
    (void)server;
    not_implemented();
}

uint16_t echo_server_port(const echo_server *server)
{
    (void)server;
    not_implemented();
}

void echo_server_destroy(echo_server *server)
{
    (void)server;
    not_implemented();
}

/* ---- Step 2: one session; step 3: errors stay in their connection -------- */

/* The coroutine that serves one connection: yours from its frame on. */

/* ---- Step 4: limits ------------------------------------------------------ */

echo_server_stats echo_server_get_stats(const echo_server *server)
{
    (void)server;
    not_implemented();
}

/* ---- Step 5: graceful stop ----------------------------------------------- */

void echo_server_stop(echo_server *server)
{
    (void)server;
    not_implemented();
}

void echo_server_abort(echo_server *server)
{
    (void)server;
    not_implemented();
}

awaiter echo_server_drained(echo_server *server)
{
    (void)server;
    not_implemented();
}
