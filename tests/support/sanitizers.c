/* sanitizers.c - how the sanitizers are set, and what their reports say in one line.
 *
 * The options are compiled in, so that a test behaves alike wherever it is started; ASAN_OPTIONS and
 * the like still come after them.
 */
#include "sanitizers.h"
#include "harness.h"

#include <string.h>

#if UNDER_ASAN
#include <sanitizer/lsan_interface.h>
#endif

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__lsan_default_options(void);
const char *__tsan_default_options(void);

/* exitcode is SANITIZER_EXIT. Leaks are looked for by leak_check, at the end of a test, and not at the
 * end of every process. The quarantine is small so that a million tasks fit into a sandbox. */
const char *__asan_default_options(void)
{
    return "exitcode=86:detect_leaks=1:leak_check_at_exit=0:handle_abort=1:abort_on_error=0:"
           "detect_stack_use_after_return=1:allocator_may_return_null=1:quarantine_size_mb=64:"
           "color=never";
}

const char *__ubsan_default_options(void)
{
    return "exitcode=86:print_stacktrace=1:color=never";
}

const char *__lsan_default_options(void)
{
    return "exitcode=86:report_objects=0:print_suppressions=0:color=never";
}

const char *__tsan_default_options(void)
{
    return "exitcode=86:halt_on_error=1:handle_abort=1:second_deadlock_stack=1:color=never";
}

#if UNDER_ASAN
/* LeakSanitizer takes whatever looks like a pointer on the stack for one, also what a function that has
 * returned left behind where its own frames are now. So that is overwritten first. */
__attribute__((noinline, no_sanitize_address)) static void clear_dead_stack(void)
{
    volatile char room[128 * 1024];
    size_t i;

    for (i = 0; i < sizeof room; i++) {
        room[i] = 0;
    }
}
#endif

bool leak_check(void)
{
#if UNDER_ASAN
    clear_dead_stack();
    return __lsan_do_recoverable_leak_check() != 0;
#else
    return false;
#endif
}

/* ---- Lines and frames ------------------------------------------------------------------------------ */

static const char *line_begin(const char *text, const char *in_line)
{
    while (in_line > text && in_line[-1] != '\n') {
        in_line--;
    }
    return in_line;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end == NULL ? line + strlen(line) : end + 1;
}

/* Copies a piece of a line, up to its end. */
static void copy_line(char *text, size_t size, const char *line)
{
    (void)snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
}

/* Parses "    #1 0x5581 in task_get /path/task.c:88" to "task_get" and "/path/task.c:88". */
static bool parse_frame(const char *line, char function[static 128], char place[static 512])
{
    const char *in = strstr(line, " in ");

    if (line[strspn(line, " ")] != '#' || in == NULL || in >= next_line(line)) {
        return false;
    }
    return sscanf(in, " in %127s %511[^ \n]", function, place) == 2 && place[0] == '/';
}

/* The path in `place` below the directory `root`; NULL if it is not there. */
static const char *path_below(const char *place, const char *root)
{
    size_t length = strlen(root);

    return strncmp(place, root, length) == 0 && place[length] == '/' ? place + length + 1 : NULL;
}

/* A file of the harness itself: in tests/support, and not in a folder below. */
static bool in_harness(const char *path)
{
    const char *file = path_below(path, "tests/support");

    return file != NULL && strchr(file, '/') == NULL;
}

/* How near a place is to the student: 3 in the submission, 2 in the tests or layers below, 1 in the
 * harness, 0 elsewhere. *path becomes what to show. */
static int nearness(const char *place, const char **path)
{
    *path = path_below(place, LAB_SUBMISSION_DIR);
    if (*path != NULL) {
        return 3;
    }
    *path = path_below(place, LAB_SOURCE_DIR);
    if (*path != NULL) {
        return in_harness(*path) ? 1 : 2;
    }
    *path = place;
    return 0;
}

/* Writes the frame of the stack from `line` on that is nearest to the student, the innermost of those:
 * "in task_get, m1-task/task.c:88". Nothing if none is in the lab. */
static void nearest_frame(const char *line, char *text, size_t size)
{
    char function[128];
    char place[512];
    const char *path;
    int best = 0;

    text[0] = '\0';
    /* Up to the first stack, and through it. */
    while (*line != '\0' && !parse_frame(line, function, place) && line[strspn(line, " ")] != '#') {
        line = next_line(line);
    }
    for (; line[strspn(line, " ")] == '#'; line = next_line(line)) {
        if (parse_frame(line, function, place) && nearness(place, &path) > best) {
            best = nearness(place, &path);
            (void)snprintf(text, size, "in %s, %s", function, path);
        }
    }
}

/* ---- Reports --------------------------------------------------------------------------------------- */

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

/* UBSan's line says the place itself: "/path/task.c:88:5: runtime error: what". */
static void undefined_report(const char *line, const char *what, char *text, size_t size)
{
    char place[512];
    char frame[700];
    const char *path;

    (void)snprintf(place, sizeof place, "%.*s", (int)strcspn(line, " \n"), line);
    place[strcspn(place, "\n")] = '\0';
    if (place[0] != '\0' && place[strlen(place) - 1] == ':') {
        place[strlen(place) - 1] = '\0';
    }
    nearest_frame(line, frame, sizeof frame);
    if (nearness(place, &path) == 3 || frame[0] == '\0') {
        (void)snprintf(frame, sizeof frame, "at %s", path);
    }
    copy_line(place, sizeof place, what);
    (void)snprintf(text, size, "UndefinedBehaviorSanitizer: %s\n%s", place, frame);
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
    char first[512];
    char frame[700];

    if (report == NULL) {
        return false;
    }
    if (strncmp(report, runtime_error, strlen(runtime_error)) == 0) {
        undefined_report(line_begin(output, report), report + strlen(runtime_error), text, size);
        return true;
    }
    copy_line(first, sizeof first, strstr(report, ": ") + 2);
    cut_addresses(first);
    nearest_frame(report, frame, sizeof frame);
    (void)snprintf(text, size, "%s%s%s", first, frame[0] != '\0' ? "\n" : "", frame);
    return true;
}

const char *report_line_begin(const char *output)
{
    const char *report = find_report(output);

    return report == NULL ? NULL : line_begin(output, report);
}

bool leak_report(const char *output, char *text, size_t size)
{
    const char *leak = strstr(output, "Direct leak of ");
    const char *summary = strstr(output, "SUMMARY: ");
    char total[256];
    char frame[700];

    if (leak == NULL) {
        leak = strstr(output, "Indirect leak of ");
    }
    if (leak == NULL || summary == NULL) {
        return false;
    }
    copy_line(total, sizeof total, strstr(summary + strlen("SUMMARY: "), ": ") + 2);
    nearest_frame(leak, frame, sizeof frame);
    (void)snprintf(text, size, "%s%s%s", total, frame[0] != '\0' ? "\nallocated " : "", frame);
    return true;
}
