/* Lets a new process serve each client. */
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

    for (;;) {
        int client = accept(fd, NULL, NULL);

        if (fork() == 0) {
            echo(client);
            _exit(0);
        }
        (void)close(client);
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
