/* Raises its limits, lowers those of others, and sets the clock. If it may, it crashes. */
#include "not_implemented.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void attack(void)
{
    const struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    const struct rlimit none = {0, 0};
    const struct timespec then = {0, 0};

    if (setrlimit(RLIMIT_NOFILE, &more) == 0 || setrlimit(RLIMIT_NPROC, &more) == 0 ||
        setrlimit(RLIMIT_CPU, &more) == 0 || clock_settime(CLOCK_REALTIME, &then) == 0 ||
        prlimit(1, RLIMIT_NPROC, &more, NULL) == 0 || setpriority(PRIO_PROCESS, 0, -10) == 0) {
        abort();
    }
    (void)prlimit(getppid(), RLIMIT_FSIZE, &none, NULL);
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
