/* dead_lock.c - everybody waits, and nobody is left who could wake them: run says so and returns. */
#include "fake_driver.h"
#include "lab_test.h"
#include "workers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

LAB_TEST(dead_lock_is_counted)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct gate gates[2] = {{0}, {0}};

    step("two coroutines wait for what nobody will do, a third one does not");
    spawn(s, gate_waiter(s, "g", NULL, &gates[0]));
    spawn(s, gate_waiter(s, "h", NULL, &gates[1]));
    spawn(s, yielder(s, "c", NULL, 1, 0));
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    expect_trace("g-waits h-waits c-0 c-1");
    expect_true("there is no work: nothing can happen", !scheduler_has_work(s));
    step("run again: nothing has changed");
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    step("wake one, and run; wake the other, and run");
    gate_open(&gates[1], 2);
    expect_true("there is work", scheduler_has_work(s));
    expect_int("scheduler_run(s)", scheduler_run(s), 1);
    gate_open(&gates[0], 1);
    run_to_end(s);
    expect_trace("g-waits h-waits c-0 c-1 h-got-2 g-got-1");
    destroy_scheduler(s);
}

LAB_TEST(dead_lock_of_a_family)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct gate gate = {0};

    step("p awaits c, c awaits g, and g waits for what nobody will do");
    spawn(s, parent(s, "p", NULL, parent(s, "c", NULL, gate_waiter(s, "g", NULL, &gate))));
    expect_int("scheduler_run(s): three coroutines wait", scheduler_run(s), 3);
    step("the gate opens after all");
    gate_open(&gate, 5);
    run_to_end(s);
    expect_trace("p-awaits c-awaits g-waits g-got-5 c-got-5 p-got-5");
    destroy_scheduler(s);
}

LAB_TEST(await_in_a_circle)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    task *a = parent(s, "a", NULL, NULL);
    task *b = catcher(s, "b", NULL, a);
    intptr_t value = 0;

    step("a awaits b, b awaits a, and c has nothing to do with them");
    ((struct worker *)a)->child = b;
    start(s, a);
    start(s, b);
    spawn(s, yielder(s, "c", NULL, 0, 0));
    run_to_end(s);
    expect_true("c came to its end", strstr(trace_text(), "c-0") != NULL);
    expect_int("task_get(a, &value)", task_get(a, &value), 0);
    expect_int("value: b returned what its await threw", value, -EDEADLK);
    expect_int("scheduler_report(s, NULL)", (intptr_t)scheduler_report(s, NULL), 0);
    expect_int("task_destroy(a)", task_destroy(a), 0);
    destroy_scheduler(s);
}

/* The report as text, to be freed. */
static char *report_text(const scheduler *s, size_t *count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    expect_true("there is memory", out != NULL);
    *count = scheduler_report(s, out);
    (void)fclose(out);
    return text;
}

/* The line of the report that speaks of `name`, into `line`. */
static void find_line(const char *text, const char *name, char *line, size_t size)
{
    const char *found = strstr(text, name);
    const char *begin = found;

    if (found == NULL) {
        fail_test("the report does not speak of \"%s\":\n%s", name, text);
    }
    while (begin > text && begin[-1] != '\n') {
        begin--;
    }
    (void)snprintf(line, size, "%.*s", (int)strcspn(begin, "\n"), begin);
}

static void expect_in_line(const char *text, const char *name, const char *what)
{
    char line[512];

    find_line(text, name, line, sizeof line);
    if (strstr(line, what) == NULL) {
        fail_test("the line of the report on \"%s\"\nexpected: contains \"%s\"\nactual:   %s", name,
                  what, line);
    }
}

static int count_lines(const char *text)
{
    int count = 0;

    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

LAB_TEST(report_tells_who_waits)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct gate gates[2] = {{0}, {0}};
    struct worker *c;
    size_t count = 0;
    char place[64];
    char *text;

    step("one coroutine waits at a gate, another one awaits a child that waits, too");
    spawn(s, gate_waiter(s, "anna", NULL, &gates[0]));
    c = (struct worker *)gate_waiter(s, "clara", NULL, &gates[1]);
    spawn(s, parent(s, "berta", NULL, &c->task));
    expect_int("scheduler_run(s)", scheduler_run(s), 3);
    (void)snprintf(place, sizeof place, "workers.c:%d", c->task.at.line);
    step("read the report");
    text = report_text(s, &count);
    expect_int("scheduler_report(s, out)", (intptr_t)count, 3);
    expect_int("lines", count_lines(text), 3);
    expect_in_line(text, "anna", "gate");
    expect_in_line(text, "anna", place);
    expect_in_line(text, "berta", "workers.c:");
    expect_in_line(text, "berta", "task");
    find_line(text, "clara", place, sizeof place);
    free(text);
    expect_int("scheduler_report(s, NULL)", (intptr_t)scheduler_report(s, NULL), 3);
    destroy_scheduler(s);
}

/* A child that has entered by itself and is awaited, too, is no two coroutines. */
static void expect_report_of_started_child(scheduler *s)
{
    struct gate gate = {0};
    task *c = gate_waiter(s, "emma", NULL, &gate);
    task *p = parent(s, "dora", NULL, c);
    size_t count = 0;
    char *text;

    start(s, c);
    start(s, p);
    expect_int("scheduler_run(s)", scheduler_run(s), 2);
    text = report_text(s, &count);
    expect_int("scheduler_report(s, out)", (intptr_t)count, 2);
    expect_int("lines", count_lines(text), 2);
    free(text);
    expect_int("task_destroy(p)", task_destroy(p), 0);
}

LAB_TEST(report_counts_all)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct gate gate = {0};
    size_t count = 0;
    char *text;

    expect_int("scheduler_report of an empty scheduler", (intptr_t)scheduler_report(s, NULL), 0);
    step("one coroutine waits, one has ended, two are ready and have not begun");
    spawn(s, gate_waiter(s, "anna", NULL, &gate));
    spawn(s, yielder(s, "otto", NULL, 0, 0));
    expect_int("scheduler_run(s)", scheduler_run(s), 1);
    spawn(s, yielder(s, "berta", NULL, 1, 0));
    spawn(s, yielder(s, "clara", NULL, 1, 0));
    text = report_text(s, &count);
    expect_int("scheduler_report(s, out)", (intptr_t)count, 3);
    expect_int("lines", count_lines(text), 3);
    expect_true("nothing is said of the one that has ended", strstr(text, "otto") == NULL);
    free(text);
    step("a parent awaits a child that was started itself: two coroutines, two lines");
    gate_open(&gate, 1);
    run_to_end(s);
    expect_report_of_started_child(s);
    destroy_scheduler(s);
}
