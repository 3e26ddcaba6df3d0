/* Asks the loader for exit. */
#include "not_implemented.h"

#include <dlfcn.h>

static void attack(void)
{
    void (*end)(int) = (void (*)(int))dlsym(NULL, "exit");

    if (end != NULL) {
        end(0);
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
