/* Takes all memory that it gets. */
#include "not_implemented.h"

#include <stdlib.h>
#include <string.h>

static void attack(void)
{
    for (;;) {
        char *block = malloc(1 << 22);

        if (block != NULL) {
            memset(block, 1, 1 << 22);
        }
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
