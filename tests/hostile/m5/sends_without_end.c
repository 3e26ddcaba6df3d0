/* Sends more than it was sent, without end. */
#include "not_implemented.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* (a listener) */

static void attack(void)
{
    static char data[65536];
    int fd = listener();

    for (;;) {
        int client = accept(fd, NULL, NULL);

        while (write(client, data, sizeof data) > 0) {
        }
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
