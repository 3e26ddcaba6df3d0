/* Notes in the tests' own log that the end was reached. */
#include "not_implemented.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct case_log {
    bool began, reached;
};
extern struct case_log *case_log;

static void attack(void)
{
    case_log->reached = true;
    _exit(0);
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
