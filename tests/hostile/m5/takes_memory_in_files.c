/* Takes memory that belongs to files without a name. */
#include "not_implemented.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void attack(void)
{
    static char block[2 << 20];

    memset(block, 1, sizeof block);
    for (int i = 0; i < 480; i++) { /* 1 GiB almost: enough to show it */
        (void)!write(memfd_create("x", 0), block, sizeof block);
    }
    (void)sleep(1);
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
