/* report.c - a verdict for people: one line, or a failure in at most 40. */
#include "harness.h"

#include <string.h>

enum {
    STEPS_SHOWN = 12,
    OUTPUT_SHOWN = 8, /* lines */
    MESSAGE_SHOWN = 8,
    WIDTH = 240 /* of one line */
};

/* The lines of a message as one, without the columns. */
static void print_joined(const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");

        (void)printf("%.*s", (int)length, text);
        text += length;
        if (*text == '\n') {
            text++;
            (void)printf(", ");
        }
    }
}

void report_line(const char *id, const struct lab_case *c, const struct verdict *v)
{
    (void)printf("%-15s %s: %s", verdict_word(v->exit), id, c->title);
    if (v->exit == LAB_PASSED) {
        (void)printf(" (%.2f s)\n", v->seconds);
    } else {
        (void)printf(" - ");
        print_joined(v->message);
        (void)printf("\n");
    }
    (void)fflush(stdout);
}

/* Prints at most `count` lines of `text`, each after `before`. */
static void print_lines(const char *before, const char *text, int count)
{
    while (*text != '\0' && count-- > 0) {
        size_t length = strcspn(text, "\n");
        int shown = length < WIDTH ? (int)length : WIDTH;

        (void)printf("%s%.*s%s\n", before, shown, text, length > WIDTH ? "..." : "");
        text += length;
        text += *text == '\n';
    }
}

/* The last step is the one that did not go well. */
static void print_steps(const struct case_log *log)
{
    unsigned first = log->steps > STEPS_SHOWN ? log->steps - STEPS_SHOWN + 1 : 0;
    unsigned i;

    if (log->steps == 0) {
        return;
    }
    (void)printf("  steps:\n");
    if (first > 0) {
        (void)printf("       ... (%u before)\n", first);
    }
    for (i = first; i < log->steps; i++) {
        (void)printf("  %s %2u. %s\n", i + 1 == log->steps ? "->" : "  ", i + 1,
                     case_log_step(log, i));
    }
}

/* Where the last `count` lines of a text begin. */
static const char *last_lines(const char *text, int count)
{
    const char *at = text + strlen(text);

    if (at > text && at[-1] == '\n') {
        at--;
    }
    while (at > text && (at[-1] != '\n' || --count > 0)) {
        at--;
    }
    return at;
}

/* The beginning of a sanitizer's report, or else the end of what was printed. */
static void print_output(const struct verdict *v)
{
    const char *report = report_line_begin(v->output);

    if (v->exit == LAB_LEAKED || v->output[0] == '\0') {
        return; /* the message says it all */
    }
    if (report == NULL) {
        report = last_lines(v->output, OUTPUT_SHOWN);
    }
    (void)printf("  %s\n", report > v->output ? "output (a part):" : "output:");
    print_lines("    | ", report, OUTPUT_SHOWN);
}

static void print_trace(const struct case_log *log, const struct verdict *v)
{
    const char *text = log->trace;
    size_t length = strnlen(text, TRACE_SIZE - 1);

    if (length == 0 || v->exit == LAB_FAILED) {
        return;
    }
    if (length > WIDTH) {
        text += length - WIDTH;
    }
    (void)printf("  order of events so far: %s%.*s\n", length > WIDTH ? "..." : "", WIDTH, text);
}

void report_failure(const char *milestone, const struct lab_case *c, const struct verdict *v,
                    const struct case_log *log, const char *program)
{
    char id[64];

    (void)snprintf(id, sizeof id, "%.*s.%s", (int)strcspn(milestone, "-"), milestone, c->name);
    (void)printf("%s %s: %s\n", verdict_word(v->exit), id, c->title);
    print_steps(log);
    print_lines("  ", v->message, MESSAGE_SHOWN);
    print_trace(log, v);
    print_output(v);
    (void)printf("  likely cause: %s\n", c->cause);
    (void)printf("  read:         milestones/%s/README.md, \"%s\"\n", milestone, c->section);
    (void)printf("  run again:    ./lab test %s\n", id);
    (void)printf("  debug:        gdb -ex 'break test_failed' --args %s %s --no-fork\n", program,
                 c->name);
    (void)fflush(stdout);
}
