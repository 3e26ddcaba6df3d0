/* Leaves a process behind that holds the pipes open, in a session of its own. */
#include "not_implemented.h"

#include <signal.h>
#include <unistd.h>

static void attack(void)
{
    if (fork() == 0) {
        (void)setsid();
        (void)signal(SIGTERM, SIG_IGN);
        (void)signal(SIGHUP, SIG_IGN);
        if (fork() == 0) {
            for (;;) {
                (void)sleep(100000);
            }
        }
        _exit(0);
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
