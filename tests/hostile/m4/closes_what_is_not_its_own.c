/* Closes every descriptor, as a milestone may that has some of its own. */
#include "not_implemented.h"

#include <unistd.h>

static void attack(void)
{
    int fd;

    for (fd = 0; fd < 512; fd++) {
        (void)close(fd);
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
