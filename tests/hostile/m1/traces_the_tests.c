/* Takes the tests' own process for a program to debug. If it may, it crashes. */
#include "not_implemented.h"

#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

static void attack(void)
{
    if (ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0) {
        abort();
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
