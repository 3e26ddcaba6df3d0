/* Prints what is no address. */
#include "not_implemented.h"

#include <stdio.h>
#include <unistd.h>

static void attack(void)
{
    (void)printf("listening on 999.9.9.9:7\n");
    (void)fflush(stdout);
    for (;;) {
        (void)pause();
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
