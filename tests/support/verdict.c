/* verdict.c - what became of a case, from what its process left behind. */
#include "harness.h"

#include "not_implemented.h"

#include <stdarg.h>
#include <string.h>

const char *verdict_word(enum lab_exit exit)
{
    switch (exit) {
    case LAB_PASSED:
        return "passed";
    case LAB_FAILED:
        return "failed";
    case LAB_CRASHED:
        return "crashed";
    case LAB_TIMEOUT:
        return "timeout";
    case LAB_LEAKED:
        return "leaked";
    case LAB_EARLY_EXIT:
        return "early-exit";
    case LAB_NOT_IMPLEMENTED:
        return "not-implemented";
    case LAB_WRONG_USE:
    case LAB_ERROR:
        break;
    }
    return "error";
}

__attribute__((format(printf, 3, 4))) static void decide(struct verdict *v, enum lab_exit exit,
                                                         const char *format, ...)
{
    va_list arguments;

    v->exit = exit;
    va_start(arguments, format);
    (void)vsnprintf(v->message, sizeof v->message, format, arguments);
    va_end(arguments);
}

/* What a sanitizer prints before its report. */
static bool is_sanitizer_noise(const char *line)
{
    const char *mark = strstr(line, "Sanitizer:DEADLYSIGNAL");

    return *line == '\n' || *line == '=' || (mark != NULL && mark < line + strcspn(line, "\n"));
}

/* The last line that the program itself printed before `end`; NULL: none. Often it is the sentence with
 * which it gave up. */
static const char *last_words(const char *output, const char *end)
{
    const char *begin;

    while (end > output) {
        for (begin = end - 1; begin > output && begin[-1] != '\n'; begin--) {
        }
        if (!is_sanitizer_noise(begin)) {
            return begin;
        }
        end = begin;
    }
    return NULL;
}

__attribute__((format(printf, 2, 3))) static void add(struct verdict *v, const char *format, ...)
{
    size_t used = strlen(v->message);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(v->message + used, sizeof v->message - used, format, arguments);
    va_end(arguments);
}

static void add_last_words(struct verdict *v, const char *end)
{
    const char *words = last_words(v->output, end);

    if (words != NULL) {
        add(v, "\nit printed: %.*s", (int)strcspn(words, "\n"), words);
    }
}

/* Where the process was when it noted its stack. */
static void add_place(struct verdict *v, const char *what)
{
    char place[1024];

    nearest_frame(v->stack, place, sizeof place);
    if (place[0] != '\0') {
        add(v, "\n%s%s", what, place);
    }
    frame_callers(v->stack, place, sizeof place);
    if (place[0] != '\0') {
        add(v, "\n%s", place);
    }
}

/* Check's word for it, when it had to end the process. */
static bool is_timeout(const char *ending)
{
    return strstr(ending, "timeout") != NULL;
}

static void decide_timeout(struct verdict *v, const struct case_log *log)
{
    if (!log->timed_out) {
        decide(v, LAB_TIMEOUT, "did not end within its time limit, %.0f s", v->seconds);
        return;
    }
    decide(v, LAB_TIMEOUT, "did not end within its time limit, %.3g s: it %s", time_limit(),
           log->busy ? "was busy all the time, as in a loop without end"
                     : "slept, and what it waits for does not come");
    add_place(v, log->busy ? "it was " : "it slept ");
    if (log->coroutines[0] != '\0') {
        add(v, "\n%s", log->coroutines);
    }
}

/* The exit code that Check tells of; 0: it tells of none. */
static int exit_code(const char *ending)
{
    int code = 0;

    (void)sscanf(ending, "Early exit with return value %d", &code);
    return code;
}

static void decide_early_exit(struct verdict *v, const struct case_log *log, int code)
{
    decide(v, LAB_EARLY_EXIT, "the process ended with exit code %d before the test was over", code);
    if (log->exit_called) {
        add_place(v, "exit was called ");
    }
    add_last_words(v, v->output + strlen(v->output));
}

static void decide_not_implemented(struct verdict *v)
{
    const char *mark = strstr(v->output, " is not implemented yet");
    const char *begin = mark;

    if (mark == NULL) {
        decide(v, LAB_NOT_IMPLEMENTED, "a function is not implemented yet");
        return;
    }
    while (begin > v->output && begin[-1] != '\n') {
        begin--;
    }
    decide(v, LAB_NOT_IMPLEMENTED, "%.*s", (int)strcspn(begin, "\n"), begin);
}

/* The process ended in mid-test. */
static void decide_cut_short(struct verdict *v, const struct case_log *log, const char *ending)
{
    static const char received[] = "Received signal";
    char report[MESSAGE_SIZE];
    int code = 0;

    if (log->timed_out || is_timeout(ending)) {
        decide_timeout(v, log);
    } else if (sanitizer_report(v->output, report, sizeof report)) {
        decide(v, LAB_CRASHED, "%s", report);
        add_last_words(v, report_line_begin(v->output));
    } else if (strncmp(ending, received, strlen(received)) == 0) {
        decide(v, LAB_CRASHED, "%s", ending + strlen("Received "));
        add_place(v, "");
        add_last_words(v, v->output + strlen(v->output));
    } else if (sscanf(ending, "Early exit with return value %d", &code) == 1 &&
               code == NOT_IMPLEMENTED_EXIT) {
        decide_not_implemented(v);
    } else if (code == SANITIZER_EXIT) {
        decide(v, LAB_CRASHED, "stopped by a sanitizer");
    } else if (code != 0 || ending[0] == '\0') {
        decide_early_exit(v, log, code);
    } else {
        decide(v, LAB_ERROR, "the harness does not know this ending: %s", ending);
    }
}

/* The test reached its end, but what came after it did not go well: leaks, or a crash at exit. */
static void decide_aftermath(struct verdict *v, const struct case_log *log, const char *ending)
{
    char report[MESSAGE_SIZE];

    /* Anybody can print that; but then the process goes on. */
    if (exit_code(ending) == SANITIZER_EXIT &&
        strstr(v->output, "LeakSanitizer has encountered a fatal error") != NULL) {
        decide(v, LAB_ERROR,
               "LeakSanitizer does not work here (inside a debugger or a sandbox "
               "without ptrace?)");
    } else if (sanitizer_report(v->output, report, sizeof report)) {
        decide(v, LAB_CRASHED, "%s", report);
    } else if (log->leaked) {
        if (!leak_report(v->output, log->coroutines, report, sizeof report)) {
            (void)snprintf(report, sizeof report, "memory leaked");
        }
        decide(v, LAB_LEAKED, "%s", report);
    } else if (is_timeout(ending)) {
        decide_timeout(v, log);
    } else if (ending[0] != '\0') {
        decide(v, LAB_CRASHED, "after the end of the test: %s", ending);
    } else {
        decide(v, LAB_PASSED, "%s", "");
    }
}

void verdict_find(struct verdict *v, const struct case_log *log, const char *ending)
{
    if (!log->began) {
        decide(v, LAB_ERROR, "the test could not be started: %s %s", ending, log->message);
    } else if (log->failed) {
        decide(v, log->misused ? LAB_ERROR : LAB_FAILED, "%s", log->message);
    } else if (!log->reached) {
        decide_cut_short(v, log, ending);
    } else {
        decide_aftermath(v, log, ending);
    }
}

const char *likely_cause(const struct lab_case *c, const struct verdict *v)
{
    const char *report = report_line_begin(v->output);

    if (v->exit == LAB_CRASHED && report != NULL && leads_to_student(report)) {
        return "";
    }
    switch (v->exit) {
    case LAB_NOT_IMPLEMENTED:
    case LAB_ERROR:
        return "";
    case LAB_LEAKED:
        return "at one of the ways in which its use can end, nobody frees it";
    case LAB_EARLY_EXIT:
        return "the code under test ends the program, where it should return or report an error";
    default:
        return c->cause;
    }
}
