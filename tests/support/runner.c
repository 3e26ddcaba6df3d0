/* runner.c - main() of a milestone's tests: which cases to run, and how it ends. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A program of tests, as lab_test_main was told. */
struct program {
    const char *path;
    const char *milestone; /* the folder, "m1-task" */
    const struct lab_case *cases;
    size_t count;
};

static pid_t runner_process;

/* Check ends the program itself when it cannot fork or write: that is no verdict on a student. */
static void exit_without_verdict(void)
{
    if (getpid() == runner_process) {
        (void)fprintf(stderr, "the test harness was ended in mid-test\n");
        _exit(LAB_ERROR);
    }
}

/* Ends the program with a code that stands. */
static int leave(enum lab_exit code)
{
    runner_process = 0;
    return (int)code;
}

static enum lab_exit harness_error(const char *what)
{
    (void)fprintf(stderr, "the test harness failed: %s\n", what);
    return LAB_ERROR;
}

static void case_id(char *id, size_t size, const struct program *p, const struct lab_case *c)
{
    (void)snprintf(id, size, "%.*s.%s", (int)strcspn(p->milestone, "-"), p->milestone, c->name);
}

static const struct lab_case *find_case(const struct program *p, const char *name)
{
    size_t i;

    for (i = 0; i < p->count; i++) {
        if (strcmp(p->cases[i].name, name) == 0) {
            return &p->cases[i];
        }
    }
    return NULL;
}

static enum lab_exit no_case(const struct program *p, const char *name)
{
    (void)fprintf(stderr, "%s: no case is named %s\n", p->path, name);
    return LAB_WRONG_USE;
}

static enum lab_exit list_cases(const struct program *p)
{
    size_t i;

    for (i = 0; i < p->count; i++) {
        const struct lab_case *c = &p->cases[i];

        (void)printf("%s\t%.15g\t%s\t%s\n", c->name, c->points, c->title, c->section);
    }
    return LAB_PASSED;
}

/* The one that is being run: too large for the stack. */
static struct verdict v;

static enum lab_exit run_all(const struct program *p)
{
    size_t failed = 0;
    size_t i;

    for (i = 0; i < p->count; i++) {
        char id[64];

        case_id(id, sizeof id, p, &p->cases[i]);
        if (!case_run(p->milestone, &p->cases[i], false, &v)) {
            return harness_error("no memory");
        }
        report_line(id, &p->cases[i], &v);
        failed += v.exit != LAB_PASSED;
    }
    (void)printf("%zu passed, %zu failed\n", p->count - failed, failed);
    return failed == 0 ? LAB_PASSED : LAB_FAILED;
}

static enum lab_exit run_one(const struct program *p, const struct lab_case *c)
{
    char id[64];

    case_id(id, sizeof id, p, c);
    if (!case_run(p->milestone, c, true, &v)) {
        return harness_error("no memory");
    }
    if (v.exit == LAB_PASSED) {
        report_line(id, c, &v);
    } else {
        report_failure(p->milestone, c, &v, case_log, p->path);
    }
    return record_write(id, c, &v, case_log) ? v.exit
                                             : harness_error("the record cannot be written");
}

/* One after another, up to the first that neither passes nor is a stub's. It gets no record: it may have
 * met what one before it left behind, and is to be run again, alone. */
static enum lab_exit run_while_fine(const struct program *p, char **names, size_t count)
{
    char id[64];
    size_t i;

    for (i = 0; i < count; i++) {
        const struct lab_case *c = find_case(p, names[i]);

        if (c == NULL) {
            return no_case(p, names[i]);
        }
        case_id(id, sizeof id, p, c);
        if (!case_run(p->milestone, c, false, &v)) {
            return harness_error("no memory");
        }
        report_line(id, c, &v);
        if (v.exit != LAB_PASSED && v.exit != LAB_NOT_IMPLEMENTED) {
            return v.exit;
        }
        if (!record_write(id, c, &v, case_log)) {
            return harness_error("the record cannot be written");
        }
    }
    return LAB_PASSED;
}

static enum lab_exit usage(const struct program *p)
{
    (void)fprintf(stderr,
                  "usage: %s                       run all cases\n"
                  "       %s NAME [--no-fork]      run one; --no-fork: in this process, for gdb\n"
                  "       %s --while-fine NAME...  run these, up to the first that fails\n"
                  "       %s --list                name, points, title, section of each\n",
                  p->path, p->path, p->path, p->path);
    return LAB_WRONG_USE;
}

static enum lab_exit run_arguments(const struct program *p, int argc, char **argv)
{
    bool here = argc == 3 && strcmp(argv[2], "--no-fork") == 0;
    const struct lab_case *c;

    if (argc == 1) {
        return run_all(p);
    }
    if (strcmp(argv[1], "--while-fine") == 0) {
        return run_while_fine(p, argv + 2, (size_t)argc - 2);
    }
    if (argc > 3 || (argc == 3 && !here)) {
        return usage(p);
    }
    if (strcmp(argv[1], "--list") == 0) {
        return list_cases(p);
    }
    c = find_case(p, argv[1]);
    if (c == NULL) {
        return no_case(p, argv[1]);
    }
    if (here) {
        runner_process = 0; /* whoever runs it this way sees for himself how it ends */
        return case_run_here(c);
    }
    return run_one(p, c);
}

int lab_test_main(const char *milestone, const struct lab_case *cases, size_t count, int argc,
                  char **argv)
{
    const struct program program = {argv[0], milestone, cases, count};

    if (!record_open()) {
        return (int)harness_error("LAB_RECORD_FD and LAB_NONCE_FD are not what they should be");
    }
    if (case_log_create() == NULL) {
        return (int)harness_error("no memory");
    }
    runner_process = getpid();
    (void)atexit(exit_without_verdict);
    return leave(run_arguments(&program, argc, argv));
}
