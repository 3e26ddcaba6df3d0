/* Never ends. */
#include "not_implemented.h"

static void attack(void)
{
    for (volatile int i = 0;; i++) {
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
