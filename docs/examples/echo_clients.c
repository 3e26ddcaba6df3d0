/* echo_clients.c - an echo server and twenty clients, all of them coroutines of one event loop: while one
 * waits for its bytes, the others go on.
 *
 *     ./lab trace docs/examples/echo_clients.c
 *
 * They talk through a Unix socket, so that each run does the same in the same order.
 */
#include "event_loop.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 20, MESSAGES = 3 };

static struct sockaddr_un place = {.sun_family = AF_UNIX}; /* the kernel chooses a name */
static socklen_t place_size = sizeof place.sun_family;
static event_loop *loop;
static int echoed;

struct talker {
    task task; /* first: the frame */
    int fd, message;
    intptr_t n;
    char bytes[16];
};

static task *talker(const char *name, void (*body)(co_handle), int fd)
{
    struct talker *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->fd = fd;
    return task_init(&self->task, name, body, NULL);
}

static void answer_body(co_handle frame)
{
    struct talker *self = (struct talker *)frame;

    CO_BEGIN(self);
    do {
        CO_AWAIT(self, self->n, event_loop_read(loop, self->fd, self->bytes, sizeof self->bytes));
        if (self->n > 0) {
            CO_AWAIT(self, self->n, event_loop_write(loop, self->fd, self->bytes, (size_t)self->n));
        }
    } while (self->n > 0);
    (void)event_loop_close(loop, self->fd);
    CO_END(self);
}

static void client_body(co_handle frame)
{
    struct talker *self = (struct talker *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n,
             event_loop_connect(loop, self->fd, (const struct sockaddr *)&place, place_size));
    for (self->message = 0; self->n >= 0 && self->message < MESSAGES; self->message++) {
        CO_AWAIT(self, self->n, event_loop_write(loop, self->fd, "hello", 5));
        CO_AWAIT(self, self->n, event_loop_read(loop, self->fd, self->bytes, sizeof self->bytes));
        echoed += self->n == 5 && memcmp(self->bytes, "hello", 5) == 0;
    }
    (void)event_loop_close(loop, self->fd);
    CO_END(self);
}

static void listener_body(co_handle frame)
{
    struct talker *self = (struct talker *)frame;

    CO_BEGIN(self);
    for (self->message = 0; self->message < CLIENTS; self->message++) {
        CO_AWAIT(self, self->n, event_loop_accept(loop, self->fd));
        if (self->n < 0) {
            CO_THROW(self, (int)self->n, "accept");
        }
        (void)scheduler_spawn(event_loop_scheduler(loop),
                              talker("session", answer_body, (int)self->n));
    }
    (void)event_loop_close(loop, self->fd);
    CO_END(self);
}

int main(void)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

    loop = event_loop_create(s, NULL, 0);
    if (bind(listener, (const struct sockaddr *)&place, place_size) != 0 ||
        listen(listener, CLIENTS) != 0) {
        return 1;
    }
    place_size = sizeof place;
    (void)getsockname(listener, (struct sockaddr *)&place, &place_size);
    (void)scheduler_spawn(s, talker("listener", listener_body, listener));
    for (int i = 0; i < CLIENTS; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

        (void)scheduler_spawn(s, talker("client", client_body, fd));
    }
    (void)event_loop_run(loop);
    (void)printf("%d echoes for %d clients\n", echoed, CLIENTS);
    event_loop_destroy(loop);
    (void)scheduler_destroy(s);
    return echoed == CLIENTS * MESSAGES ? 0 : 1;
}
