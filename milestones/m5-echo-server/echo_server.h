/* echo_server.h - milestone 5: what a client sends, it gets back.
 *
 * What the server promises to its clients is written down in docs/protocol.md.
 */
#ifndef ECHO_SERVER_H
#define ECHO_SERVER_H

#include "event_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct echo_server echo_server;

/* With whom the port is shared. Several servers of one process, each on a loop and a thread of its
 * own, can listen on the same port: the kernel spreads new connections over them (SO_REUSEPORT,
 * socket(7)). The first of them must find the port free, or two programs would share it unawares. */
typedef enum echo_server_sharing {
    ECHO_SERVER_ALONE, /* nobody */
    ECHO_SERVER_FIRST, /* those who join later */
    ECHO_SERVER_JOINS, /* a first one, which listens there already */
} echo_server_sharing;

typedef struct echo_server_options {
    const char *host;         /* numeric IPv4 or IPv6 address, or a name; NULL: 127.0.0.1 */
    uint16_t port;            /* 0: one that the kernel chooses */
    unsigned max_connections; /* accept no more at a time; 0: as many as there are descriptors */
    int64_t idle_timeout;     /* ns without a byte in either direction, then close; 0: for ever */
    int64_t drain_timeout;    /* ns from the stop until what is left is cut; 0: wait for ever */
    echo_server_sharing sharing; /* ALONE is all that milestone 5 asks for */
} echo_server_options;

typedef struct echo_server_stats {
    uint64_t accepted;  /* connections accepted */
    uint64_t active;    /* connections now */
    uint64_t bytes;     /* bytes echoed */
    uint64_t errors;    /* connections that ended with an error: reset, out of memory */
    uint64_t timed_out; /* connections closed by the idle time-out */
    uint64_t cut;       /* connections cut by the drain time-out */
    uint64_t pauses;    /* times that accepting paused, for want of descriptors or by the limit */
} echo_server_stats;

/* Binds, listens, and spawns the accept loop on `loop` (made with timers, for a SCHEDULER_FIFO
 * scheduler; it must outlive the server). Stores the server in *server and returns 0; or a negative
 * errno, with nothing left behind:
 *   -EADDRINUSE, -EACCES, -EADDRNOTAVAIL  as bind(2)
 *   -EINVAL      the host is neither an address nor a known name, a time is negative, or the loop
 *                has no timers
 *   -ENOMEM, -EMFILE, ... */
int echo_server_start(echo_server **server, event_loop *loop, const echo_server_options *options);

/* Graceful stop: closes the listener; what established connections have sent is still echoed. When
 * all have ended, or the drain time-out has cut them, event_loop_run has nothing left of this
 * server. Call it on the loop's thread. A second call changes nothing. */
void echo_server_stop(echo_server *server);

/* Ends it at once: cuts every connection. */
void echo_server_abort(echo_server *server);

/* Awaiter: until the server has stopped and its last connection has ended. The value is the number
 * of connections that were cut, or the negative errno for which it could not go on accepting and so
 * stopped by itself. One coroutine may wait. */
awaiter echo_server_drained(echo_server *server);

/* "ADDRESS:PORT", IPv6 as "[ADDRESS]:PORT"; lives as long as the server. */
const char *echo_server_address(const echo_server *server);

/* The port it listens on. */
uint16_t echo_server_port(const echo_server *server);

/* A copy of the counters. */
echo_server_stats echo_server_get_stats(const echo_server *server);

/* Frees the server, and the coroutines that it has started. No session may be left: it has drained,
 * or its scheduler was destroyed, and the sessions with it. The loop must still exist. NULL is
 * fine. */
void echo_server_destroy(echo_server *server);

#ifdef __cplusplus
}
#endif

#endif
