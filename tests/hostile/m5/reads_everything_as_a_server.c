/* Opens the solutions, the tests and others' work. If one is there, it crashes. */
#include "not_implemented.h"

#include <stdio.h>
#include <stdlib.h>

static void look(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file != NULL) {
        (void)printf("can read %s\n", path);
        abort();
    }
}

static void attack(void)
{
    look("@KIT@/solutions/m1-task/task.c");
    look("@KIT@/tests/m1-task/creation.c");
    look("@KIT@/milestones/m1-task/task.h");
    look("@KIT@/grader/rubric.toml");
    look("@CLASS@/honest-reference/m1-task/task.c");
    look("/proc/1/root/@KIT@/solutions/m1-task/task.c");
    look("/proc/1/cwd/@KIT@/solutions/m1-task/task.c");
    look("/etc/shadow");
    look("/etc/passwd");
    look("/root/.bashrc");
    look("/var/log/dpkg.log");
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
