/* report.c - a verdict for people: one line, or a failure in at most 40. What is long is cut in its middle. */
#include "harness.h"

#include <string.h>

enum {
    STEPS_SHOWN = 10,
    FIRST_STEPS = 3,
    MESSAGE_SHOWN = 14,
    OUTPUT_SHOWN = 5,
    WIDTH = 240 /* of one line */
};

/* A mark below the line before it, which is of no use anywhere else. */
static bool is_mark(const char *line)
{
    return line[strspn(line, " ")] == '^';
}

/* What matters most of a message as one line, without the columns. */
static void print_joined(const char *text)
{
    enum { JOINED = 3 };
    int count = 0;

    for (; *text != '\0' && count < JOINED; text = next_line(text)) {
        if (!is_mark(text)) {
            (void)printf("%s%.*s", count > 0 ? ", " : "", (int)strcspn(text, "\n"), text);
            count++;
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

/* ---- Lines that are cut in the middle --------------------------------------------------------------- */

static void print_line(const char *before, const char *line)
{
    size_t length = strcspn(line, "\n");

    if (length <= WIDTH) {
        (void)printf("%s%.*s\n", before, (int)length, line);
    } else {
        (void)printf("%s%.*s ... %.*s\n", before, WIDTH / 2, line, WIDTH / 2,
                     line + length - WIDTH / 2);
    }
}

static int count_lines(const char *text)
{
    int count = 0;

    for (; *text != '\0'; text = next_line(text)) {
        count++;
    }
    return count;
}

/* At most `room` lines: the first, and the last. */
static void print_lines(const char *before, const char *text, int room)
{
    int count = count_lines(text);
    int i;

    for (i = 0; i < count; i++, text = next_line(text)) {
        if (count <= room || i < room / 2 || i > count - (room + 1) / 2) {
            print_line(before, text);
        } else if (i == room / 2) {
            (void)printf("%s... (%d lines)\n", before, count - room + 1);
        }
    }
}

/* ---- The parts of a failure ------------------------------------------------------------------------- */

/* The last step is the one that did not go well. */
static void print_steps(const struct case_log *log)
{
    unsigned left_out = log->steps > STEPS_SHOWN ? log->steps - STEPS_SHOWN + 1 : 0;
    unsigned i;

    (void)printf("%s", log->steps > 0 ? "  steps:\n" : "");
    for (i = 0; i < log->steps; i++) {
        const char *text = case_log_step(log, i);

        if (left_out > 0 && i == FIRST_STEPS) {
            (void)printf("       ... (%u more)\n", left_out);
            i += left_out;
            text = case_log_step(log, i);
        }
        (void)printf("  %s %2u. %s\n", i + 1 == log->steps ? "->" : "  ", i + 1,
                     text != NULL ? text : "...");
    }
}

static void print_trace(const struct case_log *log, const struct verdict *v)
{
    size_t length = strnlen(log->trace, TRACE_SIZE - 1);
    size_t from = length > WIDTH / 2 ? length - WIDTH / 2 : 0;

    if (length > 0 && v->exit != LAB_FAILED) {
        (void)printf("  order of events so far: %s%s\n", from > 0 ? "..." : "", log->trace + from);
    }
}

/* What it printed, unless the message says it, or it is a sanitizer's report, which the message tells. */
static void print_output(const struct verdict *v)
{
    bool told = v->exit == LAB_LEAKED || v->exit == LAB_NOT_IMPLEMENTED ||
                report_line_begin(v->output) != NULL || count_lines(v->output) == 0 ||
                (strstr(v->message, "it printed: ") != NULL && count_lines(v->output) == 1);

    if (!told) {
        (void)printf("  output:\n");
        print_lines("    | ", v->output, OUTPUT_SHOWN);
    }
}

static void print_place(const struct verdict *v)
{
    const char *report = report_line_begin(v->output);
    char place[1024];

    test_place(report != NULL ? report : v->stack, place, sizeof place);
    if (place[0] != '\0') {
        (void)printf("  the test:     %s\n", place);
    }
}

/* ---- Commands --------------------------------------------------------------------------------------- */

static bool tests_solutions(void)
{
    return strcmp(LAB_SUBMISSION_DIR, LAB_SOURCE_DIR "/solutions") == 0;
}

/* What `./lab test` must be told to do the same again. */
static const char *options(void)
{
    if (tests_solutions()) {
        return LAB_BASE_IS_OWN ? "--solution --base own " : "--solution ";
    }
    return LAB_BASE_IS_OWN ? "--base own " : "";
}

/* Where gdb is to stop, if it would not stop by itself. The sanitizers' functions are in libraries that
 * are not loaded yet. */
static void print_breakpoint(const struct lab_case *c, const struct verdict *v)
{
    if (v->exit == LAB_FAILED) {
        (void)printf("-ex 'break test_failed' ");
    } else if (v->exit == LAB_EARLY_EXIT) {
        (void)printf("-ex 'catch syscall exit_group' ");
    } else if (v->exit == LAB_LEAKED) {
        (void)printf("-ex 'break lab_test_%s' ", c->name);
    } else if (v->exit == LAB_CRASHED && report_line_begin(v->output) != NULL) {
        (void)printf("-iex 'set breakpoint pending on' -ex 'break __sanitizer::Die' ");
    }
}

/* The begin of the line; what makes chance do the same again goes before the command. */
static void print_command(const char *what, const struct case_log *log)
{
    (void)printf("  %s:%*s", what, (int)(sizeof "run again    " - 1 - strlen(what)), "");
    if (log->seeded) {
        (void)printf("LAB_SEED=%u ", log->seed);
    }
}

static void print_commands(const struct lab_case *c, const struct verdict *v,
                           const struct case_log *log, const char *id, const char *program)
{
    const char *quote = strpbrk(program, " '\"$&()*;<>?[]\\`{|}~") != NULL ? "'" : "";

    print_command("run again", log);
    (void)printf("./lab test %s%s\n", options(), id);
    if (v->exit == LAB_NOT_IMPLEMENTED) {
        return;
    }
    print_command("debug", log);
    (void)printf("gdb ");
    print_breakpoint(c, v);
    (void)printf("-ex run %s--args %s%s%s %s --no-fork\n",
                 v->exit == LAB_TIMEOUT || v->exit == LAB_LEAKED ? "" : "-ex backtrace ", quote,
                 program, quote, c->name);
    if (v->exit == LAB_TIMEOUT) {
        (void)printf("                (when it hangs: ctrl-C, then: backtrace)\n");
    }
}

/* On a student's own layers, a fault may be one of theirs that their tests have let through. */
static void print_layers_below(const char *milestone)
{
    static const char *const sources[] = {"task.c", "scheduler.c", "timers.c", "event_loop.c"};
    const int below = milestone[0] == 'm' ? milestone[1] - '1' : 0;
    int i;

    if (!LAB_LAYERS_ARE_OWN || tests_solutions() || below <= 0) {
        return;
    }
    (void)printf("  below it:     your own ");
    for (i = 0; i < below; i++) {
        (void)printf("%s%s", i > 0 ? ", " : "", sources[i]);
    }
    (void)printf(" (a fault there may show here)\n");
}

void report_failure(const char *milestone, const struct lab_case *c, const struct verdict *v,
                    const struct case_log *log, const char *program)
{
    char id[64];

    (void)snprintf(id, sizeof id, "%.*s.%s", (int)strcspn(milestone, "-"), milestone, c->name);
    (void)printf("%s  %s: %s\n", verdict_word(v->exit), id, c->title);
    print_steps(log);
    print_lines("  ", v->message, MESSAGE_SHOWN);
    print_trace(log, v);
    print_output(v);
    if (likely_cause(c, v)[0] != '\0') {
        (void)printf("  likely cause: %s\n", likely_cause(c, v));
    }
    (void)printf("  read:         milestones/%s/README.md, \"%s\"\n", milestone, c->section);
    if (v->exit != LAB_NOT_IMPLEMENTED) {
        print_layers_below(milestone);
    }
    print_place(v);
    print_commands(c, v, log, id, program);
    (void)fflush(stdout);
}
