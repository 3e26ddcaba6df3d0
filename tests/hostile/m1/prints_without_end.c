/* Prints without end. */
#include "not_implemented.h"

#include <stdio.h>

static void attack(void)
{
    for (;;) {
        (void)puts("and so on");
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
