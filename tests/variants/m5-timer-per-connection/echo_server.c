/* echo_server.c - a variant of milestone 5: a timer coroutine for each connection.
 *
 * A connection is one allocation with the frames of two coroutines in it: the session, which echoes,
 * and the timer, which ends a session that has been idle too long. The timer exists only if there is
 * something to time: an idle time-out, or the silence after the stop. The session is the connection's
 * owner: when it goes, it takes the timer along.
 */
#include "echo_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_SIZE 65536
#define QUIET       MILLISECONDS(250)
#define PAUSE       MILLISECONDS(50) /* when there is no descriptor, before accept is tried again */
#define A_LIFETIME  SECONDS(3000000000) /* longer time-outs are cut to this: no sum overflows */

enum phase {
    ECHOING,
    LINGERING, /* end-of-file is sent, what comes is thrown away until the client's */
    ENDED      /* by us: at once */
};

struct timer {
    task task; /* first */
    struct connection *connection;
    intptr_t n;
};

struct connection {
    task task; /* first: of the session */
    struct timer timer;
    bool has_timer; /* timer.task is a task of the scheduler */
    echo_server *server;
    struct connection **link, *next; /* in the server's list; *link is this one */
    int fd;
    enum phase phase;
    int64_t last_active;
    char *buffer; /* NULL: nothing is under way */
    size_t length, written;
    intptr_t n;
};

/* The place of the one coroutine that waits for something of the server's. */
struct bell {
    awaiter *listener;
    bool has_rung; /* for good */
    bool unheard;  /* rang while nobody listened: the next one need not wait */
    intptr_t value;
};

struct acceptor {
    task task; /* first */
    echo_server *server;
    intptr_t n;
};

struct echo_server {
    event_loop *loop;
    scheduler *scheduler;
    timers *timers;
    echo_server_options options;
    echo_server_stats stats;
    struct connection *connections;
    struct acceptor acceptor;
    struct acceptor deadline; /* sleeps until the drain time-out; a task only after the stop */
    bool has_deadline;
    struct bell freed; /* rings when a connection ends */
    struct bell drained;
    int listener;
    int failure;
    bool is_stopping;
    uint16_t port;
    char address[INET6_ADDRSTRLEN + sizeof "[]:65535"];
};

static int64_t time_of(const echo_server *server)
{
    lab_clock *clock = timers_clock(server->timers);

    return clock->now(clock);
}

/* Frames that lie in something larger are released with it. */
static void keep(co_handle frame)
{
    (void)frame;
}

/* ---- Bells ------------------------------------------------------------------ */

static bool has_rung(awaiter *a)
{
    struct bell *bell = a->buffer;
    bool is_due = bell->has_rung || bell->unheard;

    a->result = bell->value;
    if (!is_due && a->executor == NULL) {
        a->result = -EINVAL;
        return true;
    }
    if (!is_due && bell->listener != NULL) {
        a->result = -EBUSY;
        return true;
    }
    bell->unheard = false;
    return is_due;
}

static bool listen_to(awaiter *a, co_handle waiter)
{
    struct bell *bell = a->buffer;

    (void)waiter;
    a->source = bell;
    bell->listener = a;
    return true;
}

static intptr_t value_of(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void stop_listening(awaiter *a)
{
    if (a->source != NULL) {
        ((struct bell *)a->source)->listener = NULL;
        a->source = NULL;
        a->result = -ECANCELED;
    }
}

static awaiter hear(struct bell *bell)
{
    static const awaiter_type type = {"bell", has_rung, listen_to, value_of, stop_listening, NULL};

    return (awaiter){.type = &type, .buffer = bell};
}

static void ring(struct bell *bell)
{
    awaiter *a = bell->listener;

    bell->listener = NULL;
    bell->unheard = a == NULL;
    if (a != NULL) {
        co_wake(a, bell->value);
    }
}

/* ---- The timer of a connection ------------------------------------------------- */

/* How long a connection may be silent now; 0: for ever. */
static int64_t patience(const echo_server *server)
{
    if (!server->is_stopping) {
        return server->options.idle_timeout;
    }
    if (server->options.drain_timeout > 0 && server->options.drain_timeout / 4 < QUIET) {
        return server->options.drain_timeout / 4;
    }
    return QUIET;
}

static int64_t due(const struct connection *c)
{
    return c->last_active + patience(c->server);
}

static void end(struct connection *c)
{
    c->phase = ENDED;
    (void)event_loop_cancel(c->server->loop, c->fd);
}

/* Nothing is owed to the client; but a close while it speaks would be a reset, by which it might lose
 * what it has not read yet. */
static void linger(struct connection *c)
{
    char byte;

    c->last_active = time_of(c->server);
    if (recv(c->fd, &byte, sizeof byte, MSG_DONTWAIT | MSG_PEEK) > 0) {
        return;
    }
    c->phase = LINGERING;
    (void)shutdown(c->fd, SHUT_WR);
    (void)event_loop_cancel(c->server->loop, c->fd);
}

/* It has been silent for as long as it may. */
static void lose_patience(struct connection *c)
{
    bool is_stuck = c->buffer != NULL;

    if (c->server->is_stopping && is_stuck) {
        c->last_active = time_of(c->server); /* the drain time-out will see to this one */
    } else if (c->server->is_stopping && c->phase == ECHOING) {
        linger(c);
    } else {
        c->server->stats.timed_out += c->server->is_stopping ? 0 : 1;
        end(c);
    }
}

static void timer_body(co_handle frame)
{
    struct timer *self = (struct timer *)frame;
    struct connection *c = self->connection;

    CO_BEGIN(self);
    while (c->phase != ENDED) {
        CO_AWAIT(self, self->n, sleep_until(c->server->timers, due(c)));
        if (self->n < 0) { /* no memory to sleep: better no connection than one without a timer */
            end(c);
        } else if (time_of(c->server) >= due(c)) {
            lose_patience(c);
        }
    }
    CO_END(self);
}

static void stop_timer(struct connection *c)
{
    if (c->has_timer) {
        c->has_timer = false;
        (void)task_destroy(&c->timer.task);
    }
}

/* Starts it anew: how long it waits has changed. */
static int start_timer(struct connection *c)
{
    int error;

    stop_timer(c);
    if (patience(c->server) == 0) {
        return 0;
    }
    c->last_active = time_of(c->server);
    c->timer.connection = c;
    error =
        scheduler_start(c->server->scheduler, task_init(&c->timer.task, "timer", timer_body, keep));
    c->has_timer = error == 0;
    return error;
}

static void note_activity(struct connection *c)
{
    if (c->has_timer) {
        c->last_active = time_of(c->server);
    }
}

/* ---- The session ------------------------------------------------------------------ */

/* True when there will be nothing more. A client that goes on talking is not heard to the end. */
static bool throw_away(int fd)
{
    char bytes[8192];
    ssize_t n;
    int rounds = 0;

    do {
        n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    } while ((n > 0 || (n < 0 && errno == EINTR)) && ++rounds < 16);
    return n >= 0 || errno != EAGAIN;
}

static bool get_buffer(struct connection *c)
{
    c->buffer = malloc(BUFFER_SIZE);
    return c->buffer != NULL;
}

static void drop_buffer(struct connection *c)
{
    free(c->buffer);
    c->buffer = NULL;
}

static void session_body(co_handle frame)
{
    struct connection *self = (struct connection *)frame;
    event_loop *loop = self->server->loop;

    CO_BEGIN(self);
    self->n = 1;
    while (self->phase == ECHOING && self->n > 0) {
        CO_AWAIT(self, self->n, event_loop_readable(loop, self->fd));
        if (self->n < 0) {
            break;
        }
        if (!get_buffer(self)) {
            self->n = -ENOMEM;
            break;
        }
        CO_AWAIT(self, self->n, event_loop_read(loop, self->fd, self->buffer, BUFFER_SIZE));
        note_activity(self);
        self->length = self->n > 0 ? (size_t)self->n : 0;
        self->written = 0;
        while (self->written < self->length && self->n > 0 && self->phase == ECHOING) {
            CO_AWAIT(self, self->n,
                     event_loop_write(loop, self->fd, self->buffer + self->written,
                                      self->length - self->written));
            if (self->n > 0) {
                self->written += (size_t)self->n;
                self->server->stats.bytes += (uint64_t)self->n;
                note_activity(self);
            }
        }
        drop_buffer(self);
    }
    if (self->phase == ECHOING && self->n < 0) {
        self->server->stats.errors++;
    }
    while (self->phase == LINGERING && !throw_away(self->fd)) {
        CO_AWAIT(self, self->n, event_loop_readable(loop, self->fd));
        if (self->n < 0) {
            break;
        }
    }
    CO_END(self);
}

static void settle(echo_server *server);

static void session_release(co_handle frame)
{
    struct connection *c = (struct connection *)frame;
    echo_server *server = c->server;

    stop_timer(c);
    drop_buffer(c);
    (void)event_loop_close(server->loop, c->fd);
    *c->link = c->next;
    if (c->next != NULL) {
        c->next->link = c->link;
    }
    free(c);
    server->stats.active--;
    ring(&server->freed);
    settle(server);
}

static struct connection *new_connection(echo_server *server, int fd)
{
    struct connection *c = calloc(1, sizeof *c);

    if (c != NULL) {
        c->server = server;
        c->fd = fd;
        c->link = &server->connections;
        c->next = server->connections;
        if (c->next != NULL) {
            c->next->link = &c->next;
        }
        server->connections = c;
        server->stats.active++;
        (void)task_init(&c->task, "session", session_body, session_release);
    }
    return c;
}

static void welcome(echo_server *server, int fd)
{
    struct connection *c = new_connection(server, fd);
    int error;

    server->stats.accepted++;
    if (c == NULL) {
        server->stats.errors++;
        (void)event_loop_close(server->loop, fd);
        return;
    }
    error = start_timer(c);
    if (error != 0) {
        (void)task_destroy(&c->task);
    } else {
        error = scheduler_spawn(server->scheduler, &c->task); /* destroys it, if that fails */
    }
    server->stats.errors += error != 0 ? 1 : 0;
}

/* ---- The acceptor -------------------------------------------------------------------- */

static bool may_accept(const echo_server *server)
{
    return server->options.max_connections == 0 ||
           server->stats.active < server->options.max_connections;
}

/* What an error of accept(2) means for the next accept. */
enum outlook { GO_ON, PAUSE_FIRST, GIVE_UP };

static enum outlook outlook_after(int error)
{
    switch (error) {
    case ECONNABORTED:
    case EPROTO:
    case EPERM:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
    case ENOPROTOOPT:
    case ECANCELED:
    case EINTR:
        return GO_ON;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        return PAUSE_FIRST;
    default:
        return GIVE_UP;
    }
}

/* Those in the kernel's queue have connected before the stop. */
static void welcome_the_last(echo_server *server)
{
    while (may_accept(server)) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            welcome(server, fd);
        } else if (errno == EAGAIN || outlook_after(errno) != GO_ON) {
            break;
        }
    }
}

static void acceptor_body(co_handle frame)
{
    struct acceptor *self = (struct acceptor *)frame;
    echo_server *server = self->server;

    CO_BEGIN(self);
    while (!server->is_stopping) {
        if (!may_accept(server)) {
            server->stats.pauses++;
            CO_AWAIT(self, self->n, hear(&server->freed));
            continue;
        }
        CO_AWAIT(self, self->n, event_loop_accept(server->loop, server->listener));
        if (self->n >= 0) {
            welcome(server, (int)self->n);
        } else if (outlook_after((int)-self->n) == GIVE_UP) {
            server->failure = (int)self->n;
            echo_server_stop(server);
        } else if (outlook_after((int)-self->n) == PAUSE_FIRST) {
            server->stats.pauses++;
            if (self->n == -EMFILE && server->connections != NULL) {
                CO_AWAIT(self, self->n, hear(&server->freed));
            } else {
                CO_AWAIT(self, self->n, sleep_for(server->timers, PAUSE));
            }
        }
    }
    welcome_the_last(server);
    (void)event_loop_close(server->loop, server->listener);
    server->listener = -1;
    settle(server);
    CO_END(self);
}

/* ---- The end ---------------------------------------------------------------------------- */

static void cut_all(echo_server *server)
{
    for (struct connection *c = server->connections; c != NULL; c = c->next) {
        if (c->phase == ECHOING) {
            server->stats.cut++;
        }
        end(c);
    }
}

static void deadline_body(co_handle frame)
{
    struct acceptor *self = (struct acceptor *)frame;
    echo_server *server = self->server;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, sleep_for(server->timers, server->options.drain_timeout));
    cut_all(server); /* be it that there was no memory to sleep */
    CO_END(self);
}

/* When nothing of the server runs any more but, perhaps, its deadline. */
static void settle(echo_server *server)
{
    if (server->listener >= 0 || server->connections != NULL) {
        return;
    }
    if (server->has_deadline) {
        server->has_deadline = false;
        (void)task_destroy(&server->deadline.task);
    }
    server->drained.value = server->failure != 0 ? server->failure : (intptr_t)server->stats.cut;
    server->drained.has_rung = true;
    ring(&server->drained);
}

static void start_deadline(echo_server *server)
{
    if (server->options.drain_timeout == 0) {
        return;
    }
    (void)task_init(&server->deadline.task, "deadline", deadline_body, keep);
    server->deadline.server = server;
    if (scheduler_start(server->scheduler, &server->deadline.task) == 0) {
        server->has_deadline = true;
    } else {
        cut_all(server);
    }
}

void echo_server_stop(echo_server *server)
{
    if (server->is_stopping) {
        return;
    }
    server->is_stopping = true;
    for (struct connection *c = server->connections; c != NULL; c = c->next) {
        if (start_timer(c) != 0) {
            server->stats.cut++;
            end(c);
        }
    }
    start_deadline(server);
    (void)event_loop_cancel(server->loop, server->listener);
    ring(&server->freed);
}

void echo_server_abort(echo_server *server)
{
    echo_server_stop(server);
    cut_all(server);
}

awaiter echo_server_drained(echo_server *server)
{
    return hear(&server->drained);
}

/* ---- Starting ----------------------------------------------------------------------------- */

static int open_socket(const struct sockaddr *address, socklen_t size)
{
    static const int yes = 1;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    int error;

    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0 &&
        bind(fd, address, size) == 0 && listen(fd, 1024) == 0) {
        return fd;
    }
    error = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    return -error;
}

static int look_up(const char *host, uint16_t port, struct addrinfo **found)
{
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    char service[sizeof "65535"];

    (void)snprintf(service, sizeof service, "%u", (unsigned)port);
    switch (getaddrinfo(host != NULL ? host : "127.0.0.1", service, &wanted, found)) {
    case 0:
        return 0;
    case EAI_MEMORY:
        return -ENOMEM;
    case EAI_SYSTEM:
        return errno != 0 ? -errno : -EINVAL;
    default:
        return -EINVAL;
    }
}

static int open_listener(const echo_server_options *options)
{
    struct addrinfo *found;
    int result = look_up(options->host, options->port, &found);

    if (result != 0) {
        return result;
    }
    result = -EINVAL;
    for (struct addrinfo *a = found; a != NULL && result < 0; a = a->ai_next) {
        result = open_socket(a->ai_addr, a->ai_addrlen);
    }
    freeaddrinfo(found);
    return result;
}

static int find_address(echo_server *server)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } name = {0};
    socklen_t size = sizeof name;
    char text[INET6_ADDRSTRLEN] = "?";

    if (getsockname(server->listener, &name.any, &size) != 0) {
        return -errno;
    }
    if (name.any.sa_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &name.v6.sin6_addr, text, sizeof text);
        server->port = ntohs(name.v6.sin6_port);
        (void)snprintf(server->address, sizeof server->address, "[%s]:%u", text,
                       (unsigned)server->port);
    } else {
        (void)inet_ntop(AF_INET, &name.v4.sin_addr, text, sizeof text);
        server->port = ntohs(name.v4.sin_port);
        (void)snprintf(server->address, sizeof server->address, "%s:%u", text,
                       (unsigned)server->port);
    }
    return 0;
}

static int open_server(echo_server *server)
{
    int result = open_listener(&server->options);

    server->listener = result >= 0 ? result : -1;
    if (result >= 0) {
        result = find_address(server);
    }
    server->acceptor.server = server;
    (void)task_init(&server->acceptor.task, "acceptor", acceptor_body, keep);
    return result < 0 ? result : scheduler_start(server->scheduler, &server->acceptor.task);
}

static int64_t within_a_lifetime(int64_t duration)
{
    return duration < A_LIFETIME ? duration : A_LIFETIME;
}

int echo_server_start(echo_server **server, event_loop *loop, const echo_server_options *options)
{
    echo_server *new;
    int result;

    if (event_loop_timers(loop) == NULL || options->idle_timeout < 0 ||
        options->drain_timeout < 0) {
        return -EINVAL;
    }
    new = calloc(1, sizeof *new);
    if (new == NULL) {
        return -ENOMEM;
    }
    new->loop = loop;
    new->scheduler = event_loop_scheduler(loop);
    new->timers = event_loop_timers(loop);
    new->options = *options;
    new->options.idle_timeout = within_a_lifetime(options->idle_timeout);
    new->options.drain_timeout = within_a_lifetime(options->drain_timeout);
    result = open_server(new);
    if (result < 0) {
        echo_server_destroy(new);
        return result;
    }
    new->options.host = NULL; /* the caller's, who may free it now */
    *server = new;
    return 0;
}

void echo_server_destroy(echo_server *server)
{
    if (server == NULL) {
        return;
    }
    (void)task_destroy(&server->acceptor.task);
    if (server->has_deadline) {
        (void)task_destroy(&server->deadline.task);
    }
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
