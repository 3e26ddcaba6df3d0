/* Looks for the secret where it is, or was. If it gets one, it crashes. */
#include "not_implemented.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void look(const char *file)
{
    static char text[65536];
    int fd = open(file, O_RDONLY | O_NONBLOCK);

    if (fd >= 0 && read(fd, text, sizeof text) > 0) {
        abort();
    }
}

static void attack(void)
{
    char path[64];
    char c;
    int fd;

    if (getenv("LAB_NONCE_FD") != NULL || getenv("LAB_RECORD_FD") != NULL) {
        abort();
    }
    for (fd = 3; fd < 64; fd++) {
        (void)fcntl(fd, F_SETFL, O_NONBLOCK);
        if (read(fd, &c, 1) > 0 && c != '\0') {
            abort();
        }
        (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getppid(), fd);
        look(path);
    }
    (void)snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
    look(path);
    (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
    if (open(path, O_RDONLY) >= 0) {
        abort();
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
