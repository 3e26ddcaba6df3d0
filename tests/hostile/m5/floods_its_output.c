/* Prints the right line, and then without end, to both streams. */
#include "not_implemented.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* (a listener) */

static void attack(void)
{
    (void)listener();
    for (;;) {
        (void)fprintf(stderr, "bwrap: ");
        (void)printf("bwrap: ");
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
