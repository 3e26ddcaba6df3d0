/* Serves the first connection, by which one may see whether it works, and no other. */
#include "not_implemented.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* (a listener) */

/* (an echo) */

static void attack(void)
{
    int fd = listener();

    echo(accept(fd, NULL, NULL));
    for (;;) {
        (void)pause();
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
