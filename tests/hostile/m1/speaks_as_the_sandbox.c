/* Says what the sandbox would say if it did not work. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((constructor)) void attack(void)
{
    (void)printf("bwrap: No permissions to create new namespace\n");
    (void)fflush(stdout);
    exit(1);
}

/* (the stub) */
