/* sanitizer_report.c - what a sanitizer's report says, in a few lines for somebody who never saw one. */
#include "harness.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LEAKS_TOLD = 4, PLACE_SIZE = 700 };

/* The sanitizer's word for a fault, and what it means. */
static const struct {
    const char *kind;
    const char *meaning;
} faults[] = {
    {"heap-use-after-free", "memory was used after it had been freed"},
    {"double-free", "memory was freed a second time"},
    {"heap-buffer-overflow", "memory was used beyond the ends of its block"},
    {"stack-buffer-overflow", "a local array was used beyond its ends"},
    {"global-buffer-overflow", "a global or static array was used beyond its ends"},
    {"stack-use-after-return", "a local variable was used after its function had returned"},
    {"stack-use-after-scope", "a local variable was used after its block had ended"},
    {"stack-overflow", "the stack is full: a recursion that is too deep, or never ends"},
    {"free on address which was not", "something was freed that is not the beginning of a block"},
    {"ABRT", "signal 6, the program gave up (abort)"},
    {"SEGV", "signal 11, a pointer was followed that leads nowhere"},
    {"BUS", "signal 7, a pointer was followed that leads nowhere"},
    {"FPE", "signal 8, a division by zero"},
    {"ILL", "signal 4, no instruction"},
    {"data race", "two threads used a variable at once"},
};

static const char *meaning_of(const char *report, const char *first)
{
    size_t i;

    if (strstr(first, "SEGV") != NULL &&
        strstr(report, "address points to the zero page") != NULL) {
        return strstr(report, "pc points to the zero page") != NULL
                   ? "signal 11, a NULL pointer was called as a function"
                   : "signal 11, a NULL pointer was followed";
    }
    for (i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (strstr(first, faults[i].kind) != NULL) {
            return faults[i].meaning;
        }
    }
    return NULL;
}

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format,
                                                      ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Adds "\nfreed in ..., file:line", if the stack leads into the lab. */
static void add_place(char *text, size_t size, const char *what, const char *stack)
{
    char place[PLACE_SIZE];

    nearest_frame(stack, place, sizeof place);
    if (place[0] != '\0') {
        add(text, size, "\n%s%s%s", what, what[0] != '\0' ? " " : "", place);
    }
}

static void add_callers(char *text, size_t size, const char *stack)
{
    char callers[PLACE_SIZE];

    frame_callers(stack, callers, sizeof callers);
    if (callers[0] != '\0') {
        add(text, size, "\n%s", callers);
    }
}

/* The stack below a heading in the report, and what to call it. */
static void add_stack_below(char *text, size_t size, const char *what, const char *report,
                            const char *heading)
{
    const char *found = strstr(report, heading);

    if (found != NULL) {
        add_place(text, size, what, next_line(found));
    }
}

/* Copies a piece of a line, up to its end. */
static void copy_line(char *text, size_t size, const char *line)
{
    (void)snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
}

static const char *line_begin(const char *text, const char *in_line)
{
    while (in_line > text && in_line[-1] != '\n') {
        in_line--;
    }
    return in_line;
}

/* The mark of the first report. */
static const char *find_report(const char *output)
{
    static const char *const marks[] = {"ERROR: AddressSanitizer",
                                        "runtime error: ", "WARNING: ThreadSanitizer",
                                        "ERROR: ThreadSanitizer"};
    const char *first = NULL;
    size_t i;

    for (i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *found = strstr(output, marks[i]);

        if (found != NULL && (first == NULL || found < first)) {
            first = found;
        }
    }
    return first;
}

const char *report_line_begin(const char *output)
{
    const char *report = find_report(output);

    return report == NULL ? NULL : line_begin(output, report);
}

/* UBSan's line says the place itself: "/path/task.c:88:5: runtime error: what". */
static void undefined_report(const char *line, const char *what, char *text, size_t size)
{
    char place[512];
    char fault[512];

    copy_line(fault, sizeof fault, what);
    (void)snprintf(place, sizeof place, "%.*s", (int)strcspn(line, " \n"), line);
    place[strcspn(place, ":")] = '\0';
    (void)snprintf(text, size, "UndefinedBehaviorSanitizer: %s", fault);
    add_place(text, size, "", line);
    if (strchr(text, '\n') == NULL) {
        add(text, size, "\nat %s", lab_path(place));
    }
    add_callers(text, size, line);
}

/* Cuts the addresses off: "heap-use-after-free on address 0x602..." */
static void cut_addresses(char *line)
{
    static const char *const cuts[] = {
        " on address ", " on unknown address ", ": 0x", " at 0x", " on 0x",
        " (pid=",       " in thread T"};
    size_t i;

    for (i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        char *cut = strstr(line, cuts[i]);

        if (cut != NULL) {
            *cut = '\0';
        }
    }
}

bool sanitizer_report(const char *output, char *text, size_t size)
{
    static const char runtime_error[] = "runtime error: ";
    const char *report = find_report(output);
    const char *meaning;
    char first[512];

    if (report == NULL) {
        return false;
    }
    if (strncmp(report, runtime_error, strlen(runtime_error)) == 0) {
        undefined_report(line_begin(output, report), report + strlen(runtime_error), text, size);
        return true;
    }
    copy_line(first, sizeof first, strstr(report, ": ") + 2);
    cut_addresses(first);
    meaning = meaning_of(report, first);
    (void)snprintf(text, size, "%s%s%s", first, meaning != NULL ? ": " : "",
                   meaning != NULL ? meaning : "");
    add_place(text, size, "", report);
    add_callers(text, size, report);
    add_stack_below(text, size, "it had been freed", report, "freed by thread T");
    add_stack_below(text, size, "it had been allocated", report, "allocated by thread T");
    return true;
}

/* ---- Leaks ------------------------------------------------------------------------------------------ */

/* The next leak behind this line. */
static const char *next_leak(const char *line)
{
    return strstr(next_line(line), "irect leak of ");
}

/* Adds the coroutines of the list (address, name, state) that are among the objects of this leak. */
static void add_coroutines(char *text, size_t size, const char *leak, const char *list)
{
    const char *end = next_leak(leak);
    char address[32];
    const char *line;

    for (line = list; *line != '\0'; line = next_line(line)) {
        size_t length = strcspn(line, " \n");
        const char *found;

        (void)snprintf(address, sizeof address, "%.*s ", (int)length, line);
        found = strstr(leak, address);
        if (found != NULL && (end == NULL || found < end)) {
            add(text, size, "\nit is the coroutine %.*s", (int)strcspn(line + length + 1, "\n"),
                line + length + 1);
        }
    }
}

/* The number behind the next word of this kind: "leak of 24", "in 2". */
static unsigned long number_after(const char *text, const char *word)
{
    const char *found = strstr(text, word);

    return found == NULL ? 0 : strtoul(found + strlen(word), NULL, 10);
}

static void add_leak(char *text, size_t size, const char *leak, const char *coroutines)
{
    char what[128];

    (void)snprintf(what, sizeof what, "%lu bytes%s, allocated", number_after(leak, "leak of "),
                   number_after(leak, " in ") > 1 ? " in several blocks" : "");
    add_place(text, size, what, next_line(leak));
    add_coroutines(text, size, leak, coroutines);
}

bool leak_report(const char *output, const char *coroutines, char *text, size_t size)
{
    const char *leak = strstr(output, "irect leak of ");
    const char *summary = strstr(output, "SUMMARY: ");
    unsigned long blocks;
    int told;

    if (leak == NULL || summary == NULL) {
        return false;
    }
    blocks = number_after(summary, " leaked in ");
    (void)snprintf(text, size, "never freed: %lu bytes, of %lu call%s of malloc or the like",
                   number_after(summary, "Sanitizer: "), blocks, blocks == 1 ? "" : "s");
    for (told = 0; leak != NULL && told < LEAKS_TOLD; told++) {
        add_leak(text, size, leak, coroutines);
        leak = next_leak(leak);
    }
    return true;
}
