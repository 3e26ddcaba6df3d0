/* frames.c - stacks as text, in the form of a sanitizer's report: which frame concerns a student most.
 *
 *     #1 0x5581c3 in task_get /path/of/the/kit/task.c:88
 */
#include "harness.h"

#include <string.h>

enum { CALLERS = 5 };

const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end == NULL ? line + strlen(line) : end + 1;
}

/* The path in `place` below the directory `root`; NULL if it is not there. */
static const char *path_below(const char *place, const char *root)
{
    size_t length = strlen(root);

    return strncmp(place, root, length) == 0 && place[length] == '/' ? place + length + 1 : NULL;
}

const char *lab_path(const char *place)
{
    const char *path = path_below(place, LAB_SUBMISSION_DIR);

    path = path == NULL ? path_below(place, LAB_SOURCE_DIR) : path;
    return path == NULL ? place : path;
}

/* How near a place is to the student. */
enum nearness { OUTSIDE, IN_HARNESS, IN_LAYER_BELOW, IN_TEST, IN_SUBMISSION };

static enum nearness nearness(const char *place)
{
    const char *path = path_below(place, LAB_SUBMISSION_DIR);
    const char *file;

    if (path != NULL) {
        return IN_SUBMISSION;
    }
    path = path_below(place, LAB_SOURCE_DIR);
    if (path == NULL) {
        return OUTSIDE;
    }
    file = path_below(path, "tests/support");
    if (file != NULL && strchr(file, '/') == NULL) {
        return IN_HARNESS;
    }
    return path_below(path, "tests") != NULL ? IN_TEST : IN_LAYER_BELOW;
}

struct frame {
    char function[128];
    char place[512];
    enum nearness nearness;
};

/* Parses one line; false: it is none of the lab's. */
static bool parse_frame(const char *line, struct frame *frame)
{
    const char *in = strstr(line, " in ");
    char *column;

    if (line[strspn(line, " ")] != '#' || in == NULL || in >= next_line(line) ||
        sscanf(in, " in %127s %511[^ \n]", frame->function, frame->place) != 2 ||
        frame->place[0] != '/') {
        return false;
    }
    column = strchr(frame->place, ':'); /* ...:line:column of clang */
    column = column == NULL ? NULL : strchr(column + 1, ':');
    if (column != NULL) {
        *column = '\0';
    }
    frame->nearness = nearness(frame->place);
    return true;
}

/* The first line of the first stack in `text`; the end of `text`: there is none. */
static const char *stack_begin(const char *text)
{
    while (*text != '\0' && text[strspn(text, " ")] != '#') {
        text = next_line(text);
    }
    return text;
}

static bool in_stack(const char *line)
{
    return line[strspn(line, " ")] == '#';
}

/* The line of the innermost of the nearest frames, which it parses; NULL: none is in the lab. */
static const char *find_nearest(const char *stack, struct frame *nearest)
{
    const char *found = NULL;
    const char *line;
    struct frame frame;

    nearest->nearness = OUTSIDE;
    for (line = stack_begin(stack); in_stack(line); line = next_line(line)) {
        if (parse_frame(line, &frame) && frame.nearness > nearest->nearness) {
            *nearest = frame;
            found = line;
        }
    }
    return found;
}

bool leads_to_student(const char *stack)
{
    struct frame frame;

    return find_nearest(stack, &frame) != NULL && frame.nearness == IN_SUBMISSION;
}

/* The file's last part of "/path/task.c:88", without the line. */
static size_t file_length(const char *place)
{
    const char *colon = strchr(place, ':');

    return colon == NULL ? strlen(place) : (size_t)(colon - place);
}

/* Adds a caller: with its line alone if it is in the same file as the one before. */
static void add_caller(char *text, size_t size, const struct frame *frame, const char *file_before)
{
    size_t used = strlen(text);
    size_t length = file_length(frame->place);
    bool same = strncmp(frame->place, file_before, length) == 0 && file_before[length] == '\0';
    const char *place = same ? frame->place + length + 1 : lab_path(frame->place);

    (void)snprintf(text + used, size - used, "%s%s (%s%s)", used > 0 ? ", " : "called from ",
                   frame->function, same ? "line " : "", place);
}

void frame_callers(const char *stack, char *text, size_t size)
{
    struct frame before;
    struct frame frame;
    const char *line = find_nearest(stack, &before);
    int callers = 0;
    char file[sizeof before.place];

    text[0] = '\0';
    for (line = line == NULL ? "" : next_line(line); in_stack(line) && callers < CALLERS;
         line = next_line(line)) {
        if (!parse_frame(line, &frame) || frame.nearness != IN_SUBMISSION ||
            strcmp(frame.place, before.place) == 0) {
            continue; /* not the student's, or recursion from the same line */
        }
        (void)snprintf(file, sizeof file, "%.*s", (int)file_length(before.place), before.place);
        add_caller(text, size, &frame, file);
        before = frame;
        callers++;
    }
}

void test_place(const char *stack, char *text, size_t size)
{
    struct frame frame;
    char helper[700] = "";
    const char *line;

    text[0] = '\0';
    for (line = stack_begin(stack); in_stack(line); line = next_line(line)) {
        if (!parse_frame(line, &frame) || frame.nearness != IN_TEST) {
            continue;
        }
        if (strncmp(frame.function, "lab_test_", strlen("lab_test_")) == 0) {
            (void)snprintf(text, size, "%s%s%s", lab_path(frame.place),
                           helper[0] != '\0' ? ", through " : "", helper);
            return;
        }
        if (helper[0] == '\0') {
            (void)snprintf(helper, sizeof helper, "%s at %s", frame.function,
                           lab_path(frame.place));
        }
    }
    (void)snprintf(text, size, "%s", helper);
}

void nearest_frame(const char *stack, char *text, size_t size)
{
    struct frame frame;
    char place[700];

    text[0] = '\0';
    if (find_nearest(stack, &frame) == NULL) {
        return;
    }
    test_place(stack, place, sizeof place);
    if (frame.nearness == IN_SUBMISSION) {
        (void)snprintf(text, size, "in %s, %s", frame.function, lab_path(frame.place));
    } else if (place[0] != '\0') {
        (void)snprintf(text, size, "in the test, %s", place);
    } else {
        (void)snprintf(text, size, "in %s, of the lab", frame.function);
    }
}
