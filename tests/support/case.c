/* case.c - runs one case with Check, in a process of its own. */
#include "harness.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const struct lab_case *running;
static int output = -1; /* a file in memory that takes what the case prints */

/* A case must not fill the disk with a core, nor the memory with what it prints. */
static void limit_process(void)
{
    const struct rlimit no_core = {0, 0};
    const struct rlimit file_size = {OUTPUT_LIMIT, OUTPUT_LIMIT};

    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)setrlimit(RLIMIT_FSIZE, &file_size);
}

/* What a case prints must be there when it crashes, so nothing stays in buffers. */
static void capture_output(void)
{
    (void)fflush(stdout);
    (void)dup2(output, STDOUT_FILENO);
    (void)dup2(output, STDERR_FILENO);
    (void)close(output);
    (void)setvbuf(stdout, NULL, _IONBF, 0);
}

static void run_watched(const struct lab_case *c)
{
    calls_begin();
    coroutines_begin();
    allocations_begin();
    case_log->began = true;
    c->run();
    case_log->reached = true;
    allocations_end();
}

/* In the process of the case. */
START_TEST(case_process)
{
    record_forget();
    limit_process();
    capture_output();
    endings_begin();
    leak_check_begin();
    run_watched(running);
    case_log->leaked = leak_check();
    if (case_log->leaked) {
        coroutines_left(case_log->coroutines, sizeof case_log->coroutines);
    }
    endings_end();
}
END_TEST

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Copies the end of the output. */
static void read_output(char *text, size_t size)
{
    off_t length = lseek(output, 0, SEEK_END);
    off_t from = length > (off_t)size - 1 ? length - (off_t)size + 1 : 0;
    ssize_t got = pread(output, text, size - 1, from);
    ssize_t i;

    text[got > 0 ? got : 0] = '\0';
    for (i = 0; i < got; i++) {
        if (text[i] == '\0') {
            text[i] = '?';
        }
    }
}

/* Runs the one case of `runner`; copies what Check says of its end, "" if it ended by itself. */
static void run_in_process(SRunner *runner, char *ending, size_t size)
{
    TestResult **results;

    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_SILENT);
    results = srunner_results(runner);
    (void)snprintf(ending, size, "%s", tr_rtype(results[0]) == CK_ERROR ? tr_msg(results[0]) : "");
    free(results);
}

bool case_run(const char *milestone, const struct lab_case *c, bool explain, struct verdict *v)
{
    Suite *suite = suite_create(milestone);
    TCase *tcase = tcase_create(c->name);
    SRunner *runner = srunner_create(suite);
    double begin = now();
    char ending[256];

    memset(case_log, 0, sizeof *case_log);
    v->exit = LAB_PASSED;
    v->message[0] = v->stack[0] = '\0';
    output = memfd_create("output", MFD_CLOEXEC);
    if (output < 0) {
        return false;
    }
    running = c;
    tcase_set_timeout(tcase, TIME_LIMIT * (1 + EXTENSIONS) + GRACE);
    tcase_add_test(tcase, case_process);
    suite_add_tcase(suite, tcase);
    run_in_process(runner, ending, sizeof ending);
    srunner_free(runner);
    v->seconds = now() - begin;
    read_output(v->output, sizeof v->output);
    (void)close(output);
    if (explain) {
        stack_text(case_log, v->stack, sizeof v->stack);
    }
    verdict_find(v, case_log, ending);
    return true;
}

enum lab_exit case_run_here(const struct lab_case *c)
{
    steps_tell(true);
    run_watched(c);
    (void)fprintf(stderr, "passed\n");
    return LAB_PASSED;
}
