/* Ends the program before every other constructor. */
#include <unistd.h>

static __attribute__((constructor(101))) void attack(void)
{
    _exit(0);
}

/* (the stub) */
