/* echo_server.c - a variant of milestone 5: each connection has two coroutines.
 *
 * The reader fills the connection's buffer while the writer empties it; each waits for the other at a
 * gate. They share the connection, which goes when both have ended. A third kind of coroutine, one for
 * the server, looks after time: it goes through all connections, which costs O(n) at each look.
 */
#include "echo_server.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024 };

static const int64_t QUIET = MILLISECONDS(250);
static const int64_t RETRY = MILLISECONDS(100);
static const int64_t FOR_EVER = INT64_MAX / 4; /* sums with it do not overflow */

/* Where one coroutine waits for another. */
struct gate {
    awaiter *waiting;
    bool open; /* for good */
    intptr_t value;
};

struct connection;

/* The frame of a reader or a writer. */
struct half {
    task task; /* first */
    struct connection *connection;
    intptr_t n;
};

struct connection {
    echo_server *server;
    struct connection *previous, *next;
    int fd;
    int halves;         /* coroutines that have not been released */
    bool is_over;       /* nothing more is to be read, or written if `is_cut` */
    bool is_cut;        /* ended by us, without regard for what is under way */
    bool is_lingering;  /* we have sent the end, and wait for the client's */
    bool has_failed;    /* to be counted as an error */
    int64_t last_moved; /* when a byte moved, or when lingering began */
    char *buffer;       /* NULL: nothing is under way */
    size_t begin, end;  /* what is to be written */
    bool is_being_read; /* the kernel has been given a part of the buffer */
    struct gate data;   /* the writer waits for something to write */
    struct gate room;   /* the reader waits for a place to put it */
};

/* The frame of the server's own coroutines. */
struct helper {
    task task; /* first */
    echo_server *server;
    intptr_t n;
    int64_t until;
};

struct echo_server {
    event_loop *loop;
    timers *timers;
    echo_server_options options;
    echo_server_stats stats;
    int listener; /* -1: closed */
    uint16_t port;
    char address[NI_MAXHOST + 10];
    struct connection *connections;
    task *acceptor, *keeper, *drainer;
    struct gate slot;    /* the acceptor waits for a connection to end */
    struct gate arrival; /* the keeper waits for a connection to look after */
    struct gate stop;    /* the drainer waits for the stop */
    struct gate end;     /* echo_server_drained */
    bool is_stopping;
    int64_t quiet;
    int64_t drain_until;
    int failure;
};

static int64_t now(const echo_server *server)
{
    lab_clock *clock = timers_clock(server->timers);

    return clock->now(clock);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- Gates: a->buffer is the gate ----------------------------------------- */

static bool gate_ready(awaiter *a)
{
    struct gate *gate = a->buffer;

    a->result = gate->value;
    if (gate->open) {
        return true;
    }
    if (a->executor == NULL || gate->waiting != NULL) {
        a->result = a->executor == NULL ? -EINVAL : -EBUSY;
        return true;
    }
    return false;
}

static bool gate_suspend(awaiter *a, co_handle waiter)
{
    struct gate *gate = a->buffer;

    (void)waiter;
    a->source = gate;
    gate->waiting = a;
    return true;
}

static intptr_t gate_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void gate_cancel(awaiter *a)
{
    struct gate *gate = a->source;

    if (gate != NULL) {
        gate->waiting = NULL;
        a->source = NULL;
        a->result = -ECANCELED;
    }
}

static awaiter pass(struct gate *gate)
{
    static const awaiter_type type = {"gate",      gate_ready,  gate_suspend,
                                      gate_resume, gate_cancel, NULL};

    return (awaiter){.type = &type, .buffer = gate};
}

/* Lets through who waits now. */
static void knock(struct gate *gate)
{
    awaiter *a = gate->waiting;

    if (a != NULL) {
        gate->waiting = NULL;
        co_wake(a, gate->value);
    }
}

/* ---- Connections ------------------------------------------------------------ */

static void free_buffer(struct connection *c)
{
    free(c->buffer);
    c->buffer = NULL;
    c->begin = 0;
    c->end = 0;
}

static bool has_data(const struct connection *c)
{
    return c->begin < c->end;
}

static bool has_buffer(struct connection *c)
{
    if (c->buffer == NULL) {
        c->buffer = malloc(BUFFER);
    }
    return c->buffer != NULL;
}

/* Somebody looks at the time only if there is a time-out, or a stop. */
static void note_move(struct connection *c)
{
    if (c->server->options.idle_timeout > 0 || c->server->is_stopping) {
        c->last_moved = now(c->server);
    }
}

/* Tells both halves to look around. */
static void rouse(struct connection *c)
{
    (void)event_loop_cancel(c->server->loop, c->fd);
    knock(&c->data);
    knock(&c->room);
}

static void cut(struct connection *c)
{
    c->is_cut = true;
    c->is_over = true;
    rouse(c);
}

static void fail(struct connection *c)
{
    c->has_failed = true;
    cut(c);
}

static void finish_if_drained(echo_server *server);

static void end_connection(struct connection *c)
{
    echo_server *server = c->server;

    *(c->previous != NULL ? &c->previous->next : &server->connections) = c->next;
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    free_buffer(c);
    (void)event_loop_close(server->loop, c->fd);
    server->stats.errors += c->has_failed ? 1 : 0;
    server->stats.active--;
    free(c);
    knock(&server->slot);
    finish_if_drained(server);
}

static void release_half(co_handle frame)
{
    struct connection *c = ((struct half *)frame)->connection;

    free(frame);
    if (--c->halves == 0) {
        end_connection(c);
    }
}

/* ---- The reader --------------------------------------------------------------- */

/* Reads and forgets. True when the client has ended, too, or does not stop talking. */
static bool swallow(const struct connection *c)
{
    char bytes[2048];
    ssize_t n = 0;

    for (int i = 0; i < 32; i++) {
        n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            break;
        }
    }
    return n >= 0 || errno != EAGAIN;
}

static void reader_body(co_handle frame)
{
    struct half *self = (struct half *)frame;
    struct connection *c = self->connection;
    event_loop *loop = c->server->loop;

    CO_BEGIN(self);
    while (!c->is_over) {
        if (c->end == BUFFER) {
            CO_AWAIT(self, self->n, pass(&c->room));
            continue;
        }
        CO_AWAIT(self, self->n,
                 event_loop_readable(loop, c->fd)); /* who is silent needs no buffer */
        if (c->is_over || self->n < 0) {
            break;
        }
        if (!has_buffer(c)) {
            self->n = -ENOMEM;
            break;
        }
        c->is_being_read = true;
        CO_AWAIT(self, self->n, event_loop_read(loop, c->fd, c->buffer + c->end, BUFFER - c->end));
        c->is_being_read = false;
        if (self->n <= 0) {
            break;
        }
        c->end += (size_t)self->n;
        note_move(c);
        knock(&c->data);
    }
    if (self->n < 0 && !c->is_over) {
        fail(c);
    }
    c->is_over = true;
    if (!has_data(c)) {
        free_buffer(c);
    }
    knock(&c->data);
    while (c->is_lingering && !c->is_cut && !swallow(c)) {
        CO_AWAIT(self, self->n, event_loop_readable(loop, c->fd));
        if (self->n < 0) {
            break;
        }
    }
    CO_END(self);
}

/* ---- The writer --------------------------------------------------------------- */

static void note_written(struct connection *c, size_t n)
{
    c->begin += n;
    c->server->stats.bytes += n;
    note_move(c);
    if (!has_data(c) && !c->is_being_read) {
        free_buffer(c);
        knock(&c->room);
    }
}

static void writer_body(co_handle frame)
{
    struct half *self = (struct half *)frame;
    struct connection *c = self->connection;

    CO_BEGIN(self);
    while (!c->is_cut && (has_data(c) || !c->is_over)) {
        if (!has_data(c)) {
            CO_AWAIT(self, self->n, pass(&c->data));
            continue;
        }
        CO_AWAIT(self, self->n,
                 event_loop_write(c->server->loop, c->fd, c->buffer + c->begin, c->end - c->begin));
        if (self->n > 0) {
            note_written(c, (size_t)self->n);
        } else if (!c->is_cut) {
            fail(c);
        }
    }
    CO_END(self);
}

/* ---- Accepting ------------------------------------------------------------------ */

static int spawn_half(struct connection *c, const char *name, void (*body)(co_handle))
{
    struct half *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return -ENOMEM;
    }
    self->connection = c;
    c->halves++;
    return scheduler_spawn(event_loop_scheduler(c->server->loop),
                           task_init(&self->task, name, body, release_half));
}

static struct connection *new_connection(echo_server *server, int fd)
{
    struct connection *c = calloc(1, sizeof *c);

    if (c == NULL) {
        return NULL;
    }
    c->server = server;
    c->fd = fd;
    c->next = server->connections;
    if (c->next != NULL) {
        c->next->previous = c;
    }
    server->connections = c;
    server->stats.active++;
    note_move(c);
    return c;
}

static void serve(echo_server *server, int fd)
{
    struct connection *c = new_connection(server, fd);

    server->stats.accepted++;
    if (c == NULL) {
        server->stats.errors++;
        (void)event_loop_close(server->loop, fd);
        return;
    }
    knock(&server->arrival);
    c->halves++; /* ours, so that it stays until both have been tried */
    if (spawn_half(c, "reader", reader_body) != 0 || spawn_half(c, "writer", writer_body) != 0) {
        fail(c);
    }
    if (--c->halves == 0) {
        end_connection(c);
    }
}

static bool is_full(const echo_server *server)
{
    unsigned limit = server->options.max_connections;

    return limit != 0 && server->stats.active >= limit;
}

static bool is_shortage(intptr_t error)
{
    return error == -EMFILE || error == -ENFILE || error == -ENOBUFS || error == -ENOMEM;
}

/* Of errors of accept(2): nothing is wrong but with that one connection. */
static bool is_passing(intptr_t error)
{
    static const int passing[] = {ECONNABORTED, EPROTO,    ENETDOWN, ENETUNREACH,
                                  EPERM,        EHOSTDOWN, ENONET,   EHOSTUNREACH,
                                  ENOPROTOOPT,  ECANCELED, EINTR};

    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
        if (error == -passing[i]) {
            return true;
        }
    }
    return false;
}

/* Who has connected before the stop is served. */
static void accept_rest(echo_server *server)
{
    while (!is_full(server)) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            serve(server, fd);
        } else if (!is_passing(-errno)) {
            return;
        }
    }
}

static void acceptor_body(co_handle frame)
{
    struct helper *self = (struct helper *)frame;
    echo_server *server = self->server;

    CO_BEGIN(self);
    while (!server->is_stopping) {
        if (is_full(server)) {
            server->stats.pauses++;
            CO_AWAIT(self, self->n, pass(&server->slot));
            continue;
        }
        CO_AWAIT(self, self->n, event_loop_accept(server->loop, server->listener));
        if (self->n >= 0) {
            serve(server, (int)self->n);
        } else if (is_shortage(self->n)) {
            server->stats.pauses++;
            if (self->n == -EMFILE && server->stats.active > 0) {
                CO_AWAIT(self, self->n, pass(&server->slot));
            } else {
                CO_AWAIT(self, self->n, sleep_for(server->timers, RETRY));
            }
        } else if (!is_passing(self->n)) {
            server->failure = (int)self->n;
            echo_server_stop(server);
        }
    }
    accept_rest(server);
    (void)event_loop_close(server->loop, server->listener);
    server->listener = -1;
    finish_if_drained(server);
    CO_END(self);
}

/* ---- Time: idle connections, and the drain ---------------------------------------- */

/* Closes who has been idle too long. Returns when the next one will be. */
static int64_t close_idle(echo_server *server)
{
    int64_t limit = server->options.idle_timeout;
    int64_t time = now(server), next = INT64_MAX;

    for (struct connection *c = server->connections; c != NULL; c = c->next) {
        if (c->is_cut) {
            continue;
        }
        if (time - c->last_moved >= limit) {
            server->stats.timed_out++;
            cut(c);
        } else {
            next = least(next, c->last_moved + limit);
        }
    }
    return next;
}

static void keeper_body(co_handle frame)
{
    struct helper *self = (struct helper *)frame;
    echo_server *server = self->server;

    CO_BEGIN(self);
    for (;;) {
        self->until = close_idle(server);
        if (self->until == INT64_MAX) {
            CO_AWAIT(self, self->n, pass(&server->arrival));
        } else {
            CO_AWAIT(self, self->n, sleep_until(server->timers, self->until));
        }
    }
    CO_END(self);
}

static void begin_to_linger(struct connection *c)
{
    char byte;

    c->last_moved = now(c->server);
    if (recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
        return; /* something has come at the last moment */
    }
    c->is_over = true;
    c->is_lingering = true;
    (void)shutdown(c->fd, SHUT_WR);
    rouse(c);
}

/* One look at a connection after the stop. */
static void look_after(struct connection *c)
{
    bool is_quiet = now(c->server) - c->last_moved >= c->server->quiet;

    if (is_quiet && c->is_lingering) {
        cut(c);
    } else if (is_quiet && !c->is_over && !has_data(c)) {
        begin_to_linger(c);
    }
}

/* Who lingers has got all that it is owed, and is not counted. */
static void cut_all(echo_server *server)
{
    for (struct connection *c = server->connections; c != NULL; c = c->next) {
        server->stats.cut += c->is_lingering || c->is_cut ? 0 : 1;
        cut(c);
    }
}

static void drainer_body(co_handle frame)
{
    struct helper *self = (struct helper *)frame;
    echo_server *server = self->server;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, pass(&server->stop));
    while (now(server) < server->drain_until) {
        for (struct connection *c = server->connections; c != NULL; c = c->next) {
            look_after(c);
        }
        self->until = least(server->drain_until, now(server) + server->quiet);
        CO_AWAIT(self, self->n, sleep_until(server->timers, self->until));
    }
    cut_all(server);
    CO_END(self);
}

static void finish_if_drained(echo_server *server)
{
    if (server->listener == -1 && server->connections == NULL) {
        (void)task_destroy(task_take(&server->drainer));
        server->end.value = server->failure != 0 ? server->failure : (intptr_t)server->stats.cut;
        server->end.open = true;
        knock(&server->end);
    }
}

void echo_server_stop(echo_server *server)
{
    int64_t time = now(server);

    if (server->is_stopping) {
        return;
    }
    server->is_stopping = true;
    server->drain_until =
        server->options.drain_timeout > 0 ? time + server->options.drain_timeout : INT64_MAX;
    for (struct connection *c = server->connections; c != NULL; c = c->next) {
        c->last_moved = time;
    }
    (void)task_destroy(task_take(&server->keeper));
    (void)event_loop_cancel(server->loop, server->listener);
    knock(&server->slot);
    server->stop.open = true;
    knock(&server->stop);
}

void echo_server_abort(echo_server *server)
{
    echo_server_stop(server);
    cut_all(server);
}

awaiter echo_server_drained(echo_server *server)
{
    return pass(&server->end);
}

/* ---- Starting ----------------------------------------------------------------------- */

static int listen_at(const struct addrinfo *a)
{
    const int on = 1;
    int fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
    int error;

    if (fd == -1) {
        return -errno;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) {
        return fd;
    }
    error = errno;
    (void)close(fd);
    return -error;
}

static int errno_of(int resolver_error)
{
    return resolver_error == EAI_SYSTEM ? -errno : resolver_error == EAI_MEMORY ? -ENOMEM : -EINVAL;
}

static int open_listener(echo_server *server)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    const char *host = server->options.host != NULL ? server->options.host : "127.0.0.1";
    struct addrinfo *list;
    char port[6];
    int fd = -EINVAL, error;

    (void)snprintf(port, sizeof port, "%u", (unsigned)server->options.port);
    error = getaddrinfo(host, port, &hints, &list);
    if (error != 0) {
        return errno_of(error);
    }
    for (const struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next) {
        fd = listen_at(a);
    }
    freeaddrinfo(list);
    if (fd >= 0) {
        server->listener = fd;
    }
    return fd < 0 ? fd : 0;
}

static int write_address(echo_server *server)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[NI_MAXHOST], port[NI_MAXSERV];

    if (getsockname(server->listener, (struct sockaddr *)&address, &size) != 0) {
        return -errno;
    }
    if (getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return -EINVAL;
    }
    server->port = (uint16_t)strtoul(port, NULL, 10);
    (void)snprintf(server->address, sizeof server->address,
                   address.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
                   (unsigned)server->port);
    return 0;
}

static int start_helper(echo_server *server, task **slot, const char *name, void (*body)(co_handle))
{
    struct helper *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return -ENOMEM;
    }
    self->server = server;
    *slot = task_init(&self->task, name, body, NULL);
    return scheduler_start(event_loop_scheduler(server->loop), *slot);
}

static int start_all(echo_server *server)
{
    int error = open_listener(server);

    if (error == 0) {
        error = write_address(server);
    }
    if (error == 0) {
        error = start_helper(server, &server->acceptor, "acceptor", acceptor_body);
    }
    if (error == 0) {
        error = start_helper(server, &server->drainer, "drainer", drainer_body);
    }
    if (error == 0 && server->options.idle_timeout > 0) {
        error = start_helper(server, &server->keeper, "keeper", keeper_body);
    }
    return error;
}

int echo_server_start(echo_server **server, event_loop *loop, const echo_server_options *options)
{
    echo_server *s;
    int error;

    if (options->idle_timeout < 0 || options->drain_timeout < 0 ||
        event_loop_timers(loop) == NULL) {
        return -EINVAL;
    }
    s = calloc(1, sizeof *s);
    if (s == NULL) {
        return -ENOMEM;
    }
    s->loop = loop;
    s->timers = event_loop_timers(loop);
    s->listener = -1;
    s->options = *options;
    s->options.idle_timeout = least(options->idle_timeout, FOR_EVER);
    s->options.drain_timeout = least(options->drain_timeout, FOR_EVER);
    s->quiet = QUIET;
    if (options->drain_timeout > 0) {
        s->quiet = least(QUIET, options->drain_timeout / 4);
    }
    error = start_all(s);
    if (error != 0) {
        echo_server_destroy(s);
        return error;
    }
    *server = s;
    return 0;
}

void echo_server_destroy(echo_server *server)
{
    if (server == NULL) {
        return;
    }
    (void)task_destroy(server->acceptor);
    (void)task_destroy(server->keeper);
    (void)task_destroy(server->drainer);
    if (server->listener >= 0) {
        (void)event_loop_close(server->loop, server->listener);
    }
    free(server);
}

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
