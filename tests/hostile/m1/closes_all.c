/* Closes all descriptors. */
#include <unistd.h>

static __attribute__((constructor)) void attack(void)
{
    int fd;

    for (fd = 0; fd < 4096; fd++) {
        (void)close(fd);
    }
}

/* (the stub) */
