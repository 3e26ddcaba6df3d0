/* Does not listen to signals, and never ends. */
#include "not_implemented.h"

#include <signal.h>

static void attack(void)
{
    int number;

    for (number = 1; number < NSIG; number++) {
        (void)signal(number, SIG_IGN);
    }
    for (volatile int i = 0;; i++) {
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
