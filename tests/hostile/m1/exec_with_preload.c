/* Starts the tests again, with a library of its choice in them. */
#include <stdlib.h>
#include <unistd.h>

static __attribute__((constructor)) void attack(int argc, char **argv)
{
    (void)argc;
    if (getenv("LD_PRELOAD") == NULL) {
        (void)setenv("LD_PRELOAD", "libm.so.6", 1);
        (void)execv("/proc/self/exe", argv);
    }
}

/* (the stub) */
