/* client.c - connects; sends a message and compares what comes back. */
#include "client.h"

#include "pattern.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_BUFFER = 65536, CONNECTIONS_OF_AN_ADDRESS = 20000, ADDRESSES = 200 };

bool client_init(struct client *c, event_loop *loop, const struct sockaddr_in *server, size_t size,
                 unsigned number)
{
    *c = (struct client){.loop = loop, .server = server, .size = size, .number = number, .fd = -1};
    c->capacity = size < LARGEST_BUFFER ? size + 1 : LARGEST_BUFFER;
    c->buffer = malloc(c->capacity);
    return c->buffer != NULL;
}

void client_free(struct client *c)
{
    client_close(c);
    free(c->buffer);
    c->buffer = NULL;
}

void client_close(struct client *c)
{
    if (c->fd >= 0) {
        (void)event_loop_close(c->loop, c->fd);
        c->fd = -1;
    }
}

/* ---- Connecting ---------------------------------------------------------- */

struct connecting {
    task task;
    struct client *client;
    intptr_t result;
};

/* A socket that will connect from 127.0.1.x, which leaves the port to the kernel until then. */
static int open_socket(void)
{
    static unsigned opened;
    struct sockaddr_in from = {.sin_family = AF_INET};
    unsigned address = opened++ / CONNECTIONS_OF_AN_ADDRESS % ADDRESSES + 1;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 255 + address);
    if (fd >= 0 && setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on) == 0 &&
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
        bind(fd, (struct sockaddr *)&from, sizeof from) == 0) {
        return fd;
    }
    return -errno;
}

static void connecting_body(co_handle frame)
{
    struct connecting *self = (struct connecting *)frame;
    struct client *c = self->client;

    CO_BEGIN(self);
    c->fd = open_socket();
    if (c->fd < 0) {
        CO_THROW(self, c->fd, "no socket");
    }
    CO_AWAIT(
        self, self->result,
        event_loop_connect(c->loop, c->fd, (const struct sockaddr *)c->server, sizeof *c->server));
    if (self->result < 0) {
        CO_THROW(self, (int)self->result, "cannot connect");
    }
    CO_END(self);
}

task *client_connect(struct client *c)
{
    struct connecting *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->client = c;
    return task_init(&self->task, "connect", connecting_body, NULL);
}

/* ---- One message --------------------------------------------------------- */

struct transfer {
    task task;
    struct client *client;
    const char *bytes; /* the message */
    size_t done;       /* of it */
    task *sender;      /* sends what the socket did not take at once; NULL: nothing */
    intptr_t n;
};

static void release_transfer(co_handle frame)
{
    struct transfer *self = (struct transfer *)frame;

    (void)task_destroy(self->sender); /* if it did not come to await it */
    free(self);
}

static task *transfer(const char *name, void (*body)(co_handle), struct client *c,
                      const char *bytes, size_t done)
{
    struct transfer *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->client = c;
    self->bytes = bytes;
    self->done = done;
    return task_init(&self->task, name, body, release_transfer);
}

static void send_body(co_handle frame)
{
    struct transfer *self = (struct transfer *)frame;
    struct client *c = self->client;

    CO_BEGIN(self);
    while (self->done < c->size) {
        CO_AWAIT(self, self->n,
                 event_loop_write(c->loop, c->fd, self->bytes + self->done, c->size - self->done));
        if (self->n < 0) {
            CO_THROW(self, (int)self->n, "cannot send");
        }
        self->done += (size_t)self->n;
    }
    CO_END(self);
}

/* Sends beside this coroutine: an answer must be read while the rest of its message is sent. */
static void start_sender(struct transfer *self, size_t sent)
{
    self->sender = transfer("send", send_body, self->client, self->bytes, sent);
    (void)scheduler_start(event_loop_scheduler(self->client->loop), self->sender);
}

static bool is_right(const struct transfer *self)
{
    const struct client *c = self->client;
    size_t n = (size_t)self->n;

    return n <= c->size - self->done && memcmp(c->buffer, self->bytes + self->done, n) == 0;
}

/* Waits before it reads, as a read that comes too early is a system call for nothing; but not after
 * a read that filled the buffer. */
static void exchange_body(co_handle frame)
{
    struct transfer *self = (struct transfer *)frame;
    struct client *c = self->client;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, event_loop_write(c->loop, c->fd, self->bytes, c->size));
    if (self->n < 0) {
        CO_THROW(self, (int)self->n, "cannot send");
    }
    if ((size_t)self->n < c->size) {
        start_sender(self, (size_t)self->n);
    }
    self->n = 0;
    while (self->done < c->size) {
        if ((size_t)self->n < c->capacity) {
            CO_AWAIT(self, self->n, event_loop_readable(c->loop, c->fd));
        }
        CO_AWAIT(self, self->n, event_loop_read(c->loop, c->fd, c->buffer, c->capacity));
        if (self->n <= 0) {
            CO_THROW(self, self->n < 0 ? (int)self->n : -ECONNRESET, "no answer");
        }
        if (!is_right(self)) {
            CO_THROW(self, -EBADMSG, "these bytes were not sent");
        }
        self->done += (size_t)self->n;
    }
    if (self->sender != NULL) {
        CO_AWAIT(self, self->n, task_await(task_take(&self->sender)));
    }
    c->messages++;
    CO_END(self);
}

task *client_exchange(struct client *c)
{
    return transfer("exchange", exchange_body, c, pattern_of(c->number, c->messages), 0);
}
