/* lost_errors.c - an error that nobody took is reported, once. */
#include "actors.h"
#include "lab_test.h"

#include <string.h>
#include <unistd.h>

/* What the handler was told; its context points here. */
struct reports {
    unsigned count;
    const char *name;
    co_error error;
};

static void take_report(const task *t, const co_error *error, void *context)
{
    struct reports *reports = context;

    reports->count++;
    reports->name = t->name;
    reports->error = *error;
}

LAB_TEST(lost_error_is_reported)
{
    struct reports reports = {0};
    unsigned long before = task_lost_errors();
    struct tally tally;
    task *t = thrower("lost", &tally, 0, 7);

    task_set_error_handler(take_report, &reports);
    step("let a task throw");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("reports: somebody may still take the error", reports.count, 0);
    step("destroy it, though nobody took its error");
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("reports", reports.count, 1);
    expect_string("the reported task", reports.name, "lost");
    expect_int("the reported code", reports.error.code, 7);
    expect_string("the reported text", reports.error.what, "thrown by a test");
    expect_int("task_lost_errors()", (intptr_t)(task_lost_errors() - before), 1);
    expect_int("times it was released", tally.released, 1);
    step("destroy tasks that did not throw: one not begun, one suspended, one that has returned");
    expect_int("task_destroy(t)", task_destroy(thrower("a", &tally, 0, 7)), 0);
    t = thrower("b", &tally, 1, 7);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    t = stepper("c", &tally, 0, -7);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("reports", reports.count, 1);
    expect_int("task_lost_errors()", (intptr_t)(task_lost_errors() - before), 1);
}

LAB_TEST(taken_error_is_not_reported)
{
    struct reports reports = {0};
    unsigned long before = task_lost_errors();
    struct tally tally;
    task *t = thrower("a", &tally, 0, 7);

    task_set_error_handler(take_report, &reports);
    step("take an error with task_get, and destroy its task");
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_get(t, NULL)", task_get(t, NULL), 7);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("reports", reports.count, 0);
    step("look at an error with task_error, and destroy its task");
    t = thrower("b", &tally, 0, 7);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_true("task_error(t) is not NULL", task_error(t) != NULL);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("reports", reports.count, 0);
    expect_int("task_lost_errors()", (intptr_t)(task_lost_errors() - before), 0);
    step("ask a task too early, let it throw, and destroy it: that was no taking");
    t = thrower("c", &tally, 1, 7);
    (void)task_get(t, NULL);
    (void)task_error(t);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("reports", reports.count, 1);
}

/* Standard error goes to a pipe while a failed task is destroyed. Returns what was written. */
static size_t capture_report(char *text, size_t size)
{
    int saved = dup(STDERR_FILENO);
    struct tally tally;
    int fds[2];
    ssize_t length;
    task *t = thrower("lost", &tally, 0, 4711);

    expect_int("task_resume(t)", task_resume(t), 0);
    expect_int("pipe", pipe(fds), 0);
    (void)dup2(fds[1], STDERR_FILENO);
    (void)close(fds[1]);
    (void)task_destroy(t);
    (void)fflush(stderr);
    (void)dup2(saved, STDERR_FILENO);
    (void)close(saved);
    length = read(fds[0], text, size - 1);
    (void)close(fds[0]);
    text[length > 0 ? length : 0] = '\0';
    return strlen(text);
}

static void expect_one_line(const char *text)
{
    const char *end = strchr(text, '\n');

    expect_true("something is written to standard error", text[0] != '\0');
    expect_true("it is one line", end != NULL && end[1] == '\0');
    expect_true("it names the task", strstr(text, "lost") != NULL);
    expect_true("it gives the text of the error", strstr(text, "thrown by a test") != NULL);
}

LAB_TEST(default_error_handler)
{
    struct reports reports = {0};
    char text[1024];

    step("destroy a failed task, and read standard error");
    (void)capture_report(text, sizeof text);
    expect_one_line(text);
    step("the same with a handler");
    task_set_error_handler(take_report, &reports);
    expect_int("bytes on standard error", (intptr_t)capture_report(text, sizeof text), 0);
    expect_int("reports", reports.count, 1);
    step("the same after task_set_error_handler(NULL, NULL)");
    task_set_error_handler(NULL, NULL);
    (void)capture_report(text, sizeof text);
    expect_one_line(text);
    expect_int("reports", reports.count, 1);
    expect_int("task_lost_errors()", (intptr_t)task_lost_errors(), 3);
}
