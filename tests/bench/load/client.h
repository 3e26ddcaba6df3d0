/* client.h - one connection to the server that is measured, on the kit's own runtime. */
#ifndef CLIENT_H
#define CLIENT_H

#include "event_loop.h"

#include <netinet/in.h>

struct client {
    event_loop *loop;
    const struct sockaddr_in *server;
    size_t size;       /* of a message */
    unsigned number;   /* of the connection; decides on its bytes */
    unsigned messages; /* exchanged so far */
    int fd;            /* -1: not connected */
    char *buffer;      /* for what comes; one byte larger than a message, up to 64 KiB */
    size_t capacity;
};

/* False: out of memory. */
bool client_init(struct client *c, event_loop *loop, const struct sockaddr_in *server, size_t size,
                 unsigned number);
void client_free(struct client *c);

/* Coroutines: each throws what goes wrong. To connect, from an address of its own for each 20,000
 * connections, for the kernel remembers a closed one for a minute; and to send one message, and
 * check that each of its bytes comes back, and no other. */
task *client_connect(struct client *c);
task *client_exchange(struct client *c);

void client_close(struct client *c);

#endif
