/* echo_server.c - milestone 5, reference: accept loop, sessions, and a graceful end.
 *
 * Coroutines: one acceptor; one session per connection; one reaper, if there is an idle time-out;
 * and one that sleeps until the stop and then sees to the end of the last connections.
 */
#include "echo_server.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER_SIZE = 65536,
    SPARE_BUFFERS = 8,
    DISCARD_ROUNDS = 16,
};

/* After the stop, so long a silence means that nothing is on its way any more (docs/protocol.md).
 */
static const int64_t QUIET = MILLISECONDS(250);

/* No time-out is longer: sums with it do not overflow. Some 73 years. */
static const int64_t LONGEST = INT64_MAX / 4;

/* Out of kernel memory, or of the system's descriptors: nobody will tell us when that is over. */
static const int64_t RETRY = MILLISECONDS(100);

/* A place where one coroutine waits until it is let through. */
struct gate {
    awaiter *waiter;
    bool stays_open; /* who comes later does not wait, either */
    bool missed;     /* opened while nobody waited: the next one does not wait */
    intptr_t result;
};

/* Sessions, the one that has been idle longest first. */
struct session_list {
    struct session *first, *last;
};

struct session {
    task task; /* first: the frame of the coroutine */
    echo_server *server;
    struct session_list *list; /* where it is, by its last activity */
    struct session *previous, *next;
    int64_t last_active; /* kept only while somebody looks at it: is_timed() */
    int fd;
    bool lingering;   /* has sent its end-of-file, and waits for the client's */
    bool ended_by_us; /* it is to stop echoing, at its next look around */
    char *buffer;     /* NULL while nothing is under way */
    size_t filled, sent;
    intptr_t n; /* of the last operation */
};

/* The other coroutines have no locals but these. */
struct helper {
    task task; /* first */
    echo_server *server;
    intptr_t n;
    int64_t deadline;
};

struct spare_buffer {
    struct spare_buffer *next;
};

struct echo_server {
    event_loop *loop;
    timers *timers;
    echo_server_options options;
    echo_server_stats stats;

    int listener; /* -1 once it is closed */
    uint16_t port;
    char address[NI_MAXHOST + 16];

    struct session_list active, lingering;
    struct spare_buffer *spare; /* so that buffers in turn do not go through malloc */
    unsigned spare_count;

    task *acceptor, *reaper, *drain; /* started; reaper is NULL without an idle time-out */
    struct gate slot;                /* the acceptor waits for a connection to end */
    struct gate arrival;             /* the reaper waits for somebody to look after */
    struct gate stop;                /* the drain waits for the stop */
    struct gate drained;             /* echo_server_drained waits for the end */
    bool stopping;
    bool cutting; /* nobody is served any more: aborted, or the drain time-out is over */
    int64_t stopped_at;
    int64_t quiet; /* QUIET, or less if the drain time-out is short */
    int failure;   /* why accepting ended, if nobody asked for it: a negative errno */
};

static int64_t time_now(const echo_server *server)
{
    lab_clock *clock = timers_clock(server->timers);

    return clock->now(clock);
}

/* ---- Gates: a->buffer is the gate ---------------------------------------- */

static bool take_missed(struct gate *gate)
{
    bool missed = gate->missed;

    gate->missed = false;
    return missed;
}

static bool gate_ready(awaiter *a)
{
    struct gate *gate = a->buffer;

    a->result = gate->waiter != NULL ? -EBUSY : a->executor == NULL ? -EINVAL : gate->result;
    if (a->result != gate->result) {
        return true;
    }
    return gate->stays_open || take_missed(gate);
}

static bool gate_suspend(awaiter *a, co_handle waiter)
{
    struct gate *gate = a->buffer;

    (void)waiter;
    gate->waiter = a;
    a->source = gate;
    return true;
}

static intptr_t gate_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void gate_cancel(awaiter *a)
{
    if (a->source != NULL) {
        ((struct gate *)a->source)->waiter = NULL;
        a->source = NULL;
        a->result = -ECANCELED;
    }
}

static awaiter gate_wait(struct gate *gate)
{
    static const awaiter_type type = {"gate",      gate_ready,  gate_suspend,
                                      gate_resume, gate_cancel, NULL};

    return (awaiter){.type = &type, .buffer = gate};
}

static void gate_open(struct gate *gate)
{
    awaiter *a = gate->waiter;

    gate->missed = a == NULL;
    if (a != NULL) {
        gate->waiter = NULL;
        co_wake(a, gate->result);
    }
}

static void gate_open_for_good(struct gate *gate, intptr_t result)
{
    gate->stays_open = true;
    gate->result = result;
    gate_open(gate);
}

/* ---- Buffers: one for each transfer that is under way -------------------- */

static bool take_buffer(struct session *self)
{
    echo_server *server = self->server;
    struct spare_buffer *spare = server->spare;

    if (spare != NULL) {
        server->spare = spare->next;
        server->spare_count--;
        self->buffer = (char *)spare;
    } else {
        self->buffer = malloc(BUFFER_SIZE);
    }
    return self->buffer != NULL;
}

static void give_buffer(struct session *self)
{
    echo_server *server = self->server;
    struct spare_buffer *spare = (struct spare_buffer *)self->buffer;

    self->buffer = NULL;
    if (spare == NULL || server->spare_count >= SPARE_BUFFERS) {
        free(spare);
        return;
    }
    spare->next = server->spare;
    server->spare = spare;
    server->spare_count++;
}

/* ---- Which sessions are idle --------------------------------------------- */

static void list_append(struct session_list *list, struct session *self)
{
    self->list = list;
    self->next = NULL;
    self->previous = list->last;
    *(list->last != NULL ? &list->last->next : &list->first) = self;
    list->last = self;
}

static void list_remove(struct session *self)
{
    struct session_list *list = self->list;

    *(self->previous != NULL ? &self->previous->next : &list->first) = self->next;
    *(self->next != NULL ? &self->next->previous : &list->last) = self->previous;
}

/* A byte has moved. Without a time-out nobody asks when, and looking at the clock is not free. */
static void note_activity(struct session *self)
{
    if (self->server->options.idle_timeout > 0 || self->server->stopping) {
        self->last_active = time_now(self->server);
        list_remove(self);
        list_append(self->list, self);
    }
}

/* Wakes the session, if it waits, to see what has been decided about it. */
static void interrupt(struct session *self)
{
    self->ended_by_us = true;
    (void)event_loop_cancel(self->server->loop, self->fd);
}

/* Ends it without ceremony: what is under way is lost. */
static void cut(struct session *self)
{
    self->lingering = false;
    interrupt(self);
}

/* Who lingers has got all that it is owed, and does not count. */
static void cut_all(echo_server *server)
{
    server->cutting = true;
    for (struct session *self = server->active.first; self != NULL; self = self->next) {
        server->stats.cut += self->ended_by_us ? 0 : 1;
        cut(self);
    }
    for (struct session *self = server->lingering.first; self != NULL; self = self->next) {
        cut(self);
    }
}

/* Sends end-of-file to a client to which we owe nothing, and waits a while for his: a close with
 * unread input would turn into a reset, which destroys what the client has not read yet. False: it
 * has just spoken, and goes on. */
static bool begin_linger(struct session *self)
{
    char byte;

    if (recv(self->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
        note_activity(self);
        return false;
    }
    self->last_active = time_now(self->server);
    list_remove(self);
    list_append(&self->server->lingering, self);
    self->lingering = true;
    (void)shutdown(self->fd, SHUT_WR);
    interrupt(self);
    return true;
}

/* Ends sessions that were idle for `limit`, and those that have lingered long enough. A session
 * that is in the middle of a transfer is not idle in a drain; else it is stuck, and is cut. */
static void reap(echo_server *server, int64_t limit)
{
    int64_t now = time_now(server);
    struct session *next;

    for (struct session *self = server->active.first; self != NULL; self = next) {
        next = self->next;
        if (now - self->last_active < limit) {
            break;
        }
        if (self->buffer == NULL) {
            server->stats.timed_out += begin_linger(self) && !server->stopping;
        } else if (!server->stopping) {
            server->stats.timed_out++;
            cut(self);
        }
    }
    for (struct session *self = server->lingering.first;
         self != NULL && now - self->last_active >= server->quiet; self = self->next) {
        cut(self);
    }
}

/* ---- A session ----------------------------------------------------------- */

/* True at the end of the input, or of the patience with one who goes on talking. */
static bool discard_input(int fd)
{
    char bytes[4096];
    ssize_t n = 1;

    for (int i = 0; i < DISCARD_ROUNDS && n > 0; i++) {
        n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    }
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static void count_end(struct session *self)
{
    if (self->n < 0 && !self->ended_by_us) {
        self->server->stats.errors++;
    }
}

static void session_body(co_handle frame)
{
    struct session *self = (struct session *)frame;
    event_loop *loop = self->server->loop;

    CO_BEGIN(self);
    while (!self->ended_by_us) {
        /* Wait first, take a buffer then: who says nothing costs none. */
        CO_AWAIT(self, self->n, event_loop_readable(loop, self->fd));
        if (self->n < 0 || self->ended_by_us) {
            break;
        }
        if (!take_buffer(self)) {
            self->n = -ENOMEM;
            break;
        }
        CO_AWAIT(self, self->n, event_loop_read(loop, self->fd, self->buffer, BUFFER_SIZE));
        if (self->n <= 0) {
            break;
        }
        note_activity(self);
        self->filled = (size_t)self->n;
        self->sent = 0;
        while (self->sent < self->filled && self->n > 0 && !self->ended_by_us) {
            CO_AWAIT(self, self->n,
                     event_loop_write(loop, self->fd, self->buffer + self->sent,
                                      self->filled - self->sent));
            if (self->n > 0) {
                self->sent += (size_t)self->n;
                self->server->stats.bytes += (uint64_t)self->n;
                note_activity(self);
            }
        }
        if (self->n < 0) {
            break;
        }
        give_buffer(self);
    }
    count_end(self);
    while (self->lingering && !discard_input(self->fd)) {
        CO_AWAIT(self, self->n, event_loop_readable(loop, self->fd));
        if (self->n < 0) {
            break;
        }
    }
    CO_RETURN(self, 0);
    CO_END(self);
}

static void settle(echo_server *server);

/* However it ended: by itself, or destroyed with its scheduler. */
static void session_release(co_handle frame)
{
    struct session *self = (struct session *)frame;
    echo_server *server = self->server;

    list_remove(self);
    give_buffer(self);
    (void)event_loop_close(server->loop, self->fd);
    free(self);
    server->stats.active--;
    gate_open(&server->slot);
    settle(server);
}

static void start_session(echo_server *server, int fd)
{
    struct session *self = calloc(1, sizeof *self);

    server->stats.accepted++;
    if (self == NULL) {
        server->stats.errors++;
        (void)event_loop_close(server->loop, fd);
        return;
    }
    self->server = server;
    self->fd = fd;
    self->ended_by_us = server->cutting;
    server->stats.cut += server->cutting ? 1 : 0;
    list_append(&server->active, self);
    server->stats.active++;
    (void)task_init(&self->task, "session", session_body, session_release);
    note_activity(self);
    gate_open(&server->arrival);
    if (scheduler_spawn(event_loop_scheduler(server->loop), &self->task) != 0) {
        server->stats.errors++; /* released already */
    }
}

/* ---- The acceptor -------------------------------------------------------- */

static bool is_full(const echo_server *server)
{
    return server->options.max_connections > 0 &&
           server->stats.active >= server->options.max_connections;
}

/* The connection is gone, or was never any good; the next one is another matter. See accept(2). */
static bool concerns_one_connection(intptr_t error)
{
    switch (error) {
    case -ECONNABORTED:
    case -EPROTO:
    case -EPERM:
    case -ENETDOWN:
    case -ENETUNREACH:
    case -EHOSTDOWN:
    case -EHOSTUNREACH:
    case -ENONET:
    case -ENOPROTOOPT:
        return true;
    default:
        return false;
    }
}

static bool is_shortage(intptr_t error)
{
    return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -ENOBUFS;
}

/* What the kernel has accepted for us before the stop is established: it is served. */
static void accept_queued(echo_server *server)
{
    while (!server->cutting && !is_full(server)) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            start_session(server, fd);
        } else if (errno != EINTR && !concerns_one_connection(-errno)) {
            return;
        }
    }
}

static void acceptor_body(co_handle frame)
{
    struct helper *self = (struct helper *)frame;
    echo_server *server = self->server;

    CO_BEGIN(self);
    while (!server->stopping) {
        if (is_full(server)) {
            server->stats.pauses++;
            CO_AWAIT(self, self->n, gate_wait(&server->slot));
            continue;
        }
        CO_AWAIT(self, self->n, event_loop_accept(server->loop, server->listener));
        if (self->n >= 0) {
            start_session(server, (int)self->n);
        } else if (self->n == -EMFILE && server->stats.active > 0) {
            server->stats.pauses++; /* the next session that ends gives a descriptor back */
            CO_AWAIT(self, self->n, gate_wait(&server->slot));
        } else if (is_shortage(self->n)) {
            server->stats.pauses++;
            CO_AWAIT(self, self->n, sleep_for(server->timers, RETRY));
        } else if (self->n != -ECANCELED && !concerns_one_connection(self->n)) {
            server->failure = (int)self->n;
            echo_server_stop(server);
        }
    }
    accept_queued(server);
    (void)event_loop_close(server->loop, server->listener);
    server->listener = -1;
    settle(server);
    CO_RETURN(self, 0);
    CO_END(self);
}

/* ---- Idle time-out, drain, and the end ----------------------------------- */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When the oldest session of each kind will be due. */
static int64_t next_reaping(const echo_server *server)
{
    const struct session *idle = server->active.first, *lingering = server->lingering.first;
    int64_t next = INT64_MAX;

    if (idle != NULL) {
        next = idle->last_active + server->options.idle_timeout;
    }
    if (lingering != NULL) {
        next = earlier(next, lingering->last_active + server->quiet);
    }
    return next;
}

static void reaper_body(co_handle frame)
{
    struct helper *self = (struct helper *)frame;
    echo_server *server = self->server;

    CO_BEGIN(self);
    for (;;) {
        while (server->stats.active == 0) {
            CO_AWAIT(self, self->n, gate_wait(&server->arrival));
        }
        CO_AWAIT(self, self->n, sleep_until(server->timers, next_reaping(server)));
        reap(server, server->options.idle_timeout);
    }
    CO_END(self);
}

/* After the stop: looks around now and then, until settle() destroys it or the time is up. */
static void drain_body(co_handle frame)
{
    struct helper *self = (struct helper *)frame;
    echo_server *server = self->server;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, gate_wait(&server->stop));
    self->deadline = INT64_MAX;
    if (server->options.drain_timeout > 0) {
        self->deadline = server->stopped_at + server->options.drain_timeout;
    }
    while (time_now(server) < self->deadline) {
        reap(server, server->quiet);
        CO_AWAIT(
            self, self->n,
            sleep_until(server->timers, earlier(self->deadline, time_now(server) + server->quiet)));
    }
    reap(server, server->quiet);
    cut_all(server);
    CO_RETURN(self, 0);
    CO_END(self);
}

/* When the listener is closed and the last session has ended, nothing may keep the loop turning. */
static void settle(echo_server *server)
{
    if (server->listener >= 0 || server->stats.active > 0) {
        return;
    }
    (void)task_destroy(task_take(&server->drain));
    gate_open_for_good(&server->drained,
                       server->failure != 0 ? server->failure : (intptr_t)server->stats.cut);
}

void echo_server_stop(echo_server *server)
{
    if (server->stopping) {
        return;
    }
    server->stopping = true;
    server->stopped_at = time_now(server);
    for (struct session *self = server->active.first; self != NULL; self = self->next) {
        self->last_active = server->stopped_at; /* quiet is counted from here */
    }
    (void)task_destroy(task_take(&server->reaper));
    (void)event_loop_cancel(server->loop, server->listener);
    gate_open(&server->slot);
    gate_open(&server->stop);
}

void echo_server_abort(echo_server *server)
{
    echo_server_stop(server);
    cut_all(server);
}

awaiter echo_server_drained(echo_server *server)
{
    return gate_wait(&server->drained);
}

/* ---- Starting ------------------------------------------------------------ */

static bool share_port(int fd)
{
    int on = 1;

    return setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0;
}

/* A listening socket on `address`, or a negative errno. Accepted sockets inherit TCP_NODELAY (an
 * echo must not wait for the client's acknowledgement) and SO_OOBINLINE (an urgent byte is a
 * byte). Who is the first on a shared port takes it for himself, and then lets others join: with
 * SO_REUSEPORT from the beginning, he could have joined a stranger. */
static int listen_on(const struct addrinfo *address, echo_server_sharing sharing)
{
    int on = 1, error;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return -errno;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof on) == 0 &&
        (sharing != ECHO_SERVER_JOINS || share_port(fd)) &&
        bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0 &&
        (sharing != ECHO_SERVER_FIRST || share_port(fd))) {
        return fd;
    }
    error = -errno;
    (void)close(fd);
    return error;
}

static int resolve(const echo_server_options *options, struct addrinfo **addresses)
{
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    char port[8];
    int error;

    (void)snprintf(port, sizeof port, "%u", (unsigned)options->port);
    error =
        getaddrinfo(options->host != NULL ? options->host : "127.0.0.1", port, &wanted, addresses);
    switch (error) {
    case 0:
        return 0;
    case EAI_SYSTEM:
        return -errno;
    case EAI_MEMORY:
        return -ENOMEM;
    default:
        return -EINVAL;
    }
}

/* The first of the host's addresses that can be had. */
static int open_listener(echo_server *server)
{
    struct addrinfo *addresses;
    int result = resolve(&server->options, &addresses);

    if (result != 0) {
        return result;
    }
    for (const struct addrinfo *a = addresses; a != NULL; a = a->ai_next) {
        result = listen_on(a, server->options.sharing);
        if (result >= 0) {
            break;
        }
    }
    freeaddrinfo(addresses);
    if (result < 0) {
        return result;
    }
    server->listener = result;
    return 0;
}

static int note_address(echo_server *server)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    socklen_t size = sizeof address;
    char host[NI_MAXHOST];
    bool is_v6;

    if (getsockname(server->listener, &address.any, &size) != 0) {
        return -errno;
    }
    if (getnameinfo(&address.any, size, host, sizeof host, NULL, 0, NI_NUMERICHOST) != 0) {
        return -EINVAL;
    }
    is_v6 = address.any.sa_family == AF_INET6;
    server->port = ntohs(is_v6 ? address.v6.sin6_port : address.v4.sin_port);
    (void)snprintf(server->address, sizeof server->address, is_v6 ? "[%s]:%u" : "%s:%u", host,
                   (unsigned)server->port);
    return 0;
}

/* Starts a coroutine of the server's, and keeps it in *slot. */
static int start_helper(echo_server *server, const char *name, void (*body)(co_handle), task **slot)
{
    struct helper *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return -ENOMEM;
    }
    self->server = server;
    *slot = task_init(&self->task, name, body, NULL);
    return scheduler_start(event_loop_scheduler(server->loop), *slot);
}

static int start(echo_server *server)
{
    int result = open_listener(server);

    if (result == 0) {
        result = note_address(server);
    }
    if (result == 0) {
        result = start_helper(server, "drain", drain_body, &server->drain);
    }
    if (result == 0 && server->options.idle_timeout > 0) {
        result = start_helper(server, "reaper", reaper_body, &server->reaper);
    }
    if (result == 0) {
        result = start_helper(server, "acceptor", acceptor_body, &server->acceptor);
    }
    return result;
}

int echo_server_start(echo_server **server, event_loop *loop, const echo_server_options *options)
{
    echo_server *self;
    int result;

    if (event_loop_timers(loop) == NULL || options->idle_timeout < 0 ||
        options->drain_timeout < 0) {
        return -EINVAL;
    }
    self = calloc(1, sizeof *self);
    if (self == NULL) {
        return -ENOMEM;
    }
    self->loop = loop;
    self->timers = event_loop_timers(loop);
    self->listener = -1;
    self->options = *options;
    self->options.idle_timeout = earlier(options->idle_timeout, LONGEST);
    self->options.drain_timeout = earlier(options->drain_timeout, LONGEST);
    self->quiet = options->drain_timeout > 0 ? earlier(QUIET, options->drain_timeout / 4) : QUIET;
    result = start(self);
    if (result != 0) {
        echo_server_destroy(self);
        return result;
    }
    *server = self;
    return 0;
}

void echo_server_destroy(echo_server *server)
{
    if (server == NULL) {
        return;
    }
    (void)task_destroy(server->acceptor);
    (void)task_destroy(server->reaper);
    (void)task_destroy(server->drain);
    if (server->listener >= 0) {
        (void)event_loop_close(server->loop, server->listener);
    }
    while (server->spare != NULL) {
        struct spare_buffer *spare = server->spare;

        server->spare = spare->next;
        free(spare);
    }
    free(server);
}

/* ---- What it says of itself ---------------------------------------------- */

const char *echo_server_address(const echo_server *server)
{
    return server->address;
}

uint16_t echo_server_port(const echo_server *server)
{
    return server->port;
}

echo_server_stats echo_server_get_stats(const echo_server *server)
{
    return server->stats;
}
