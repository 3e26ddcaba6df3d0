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
    look("/home");
    look("/var/log/dpkg.log");
}
