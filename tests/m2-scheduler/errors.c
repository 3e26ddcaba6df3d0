/* errors.c - a task that throws stops nobody else, and its error is not lost. */
#include "lab_test.h"
#include "workers.h"

#include <errno.h>

/* How often the handler was called, and the last code. */
struct reports {
    unsigned count;
    int code;
};

static void take_report(const task *t, const co_error *error, void *context)
{
    struct reports *reports = context;

    (void)t;
    reports->count++;
    reports->code = error->code;
}

LAB_TEST(failure_stops_nobody)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct reports reports = {0};
    struct tally tally = {0};

    task_set_error_handler(take_report, &reports);
    step("spawn three tasks, of which the second throws in its second step, and run");
    spawn(s, yielder(s, "a", NULL, 2, 0));
    spawn(s, thrower(s, "b", &tally, 1, 7));
    spawn(s, yielder(s, "c", NULL, 2, 0));
    run_to_end(s);
    expect_trace("a-0 b-0 c-0 a-1 b-1 c-1 a-2 c-2");
    expect_int("times b was released", tally.released, 1);
    expect_int("errors reported as lost", reports.count, 1);
    expect_int("the code of that error", reports.code, 7);
    destroy_scheduler(s);
    expect_int("errors reported as lost", reports.count, 1);
}

LAB_TEST(failure_awaited_late)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct reports reports = {0};
    struct tally tally = {0};
    task *c = thrower(s, "c", &tally, 0, 7);

    task_set_error_handler(take_report, &reports);
    step("start a task that throws, and run it");
    start(s, c);
    run_to_end(s);
    expect_int("errors reported as lost", reports.count, 0);
    step("later, another one awaits it and catches its error");
    spawn(s, catcher(s, "p", NULL, c));
    run_to_end(s);
    expect_trace("c-0 p-awaits p-caught-7");
    expect_int("errors reported as lost", reports.count, 0);
    expect_int("times c was released", tally.released, 1);
    destroy_scheduler(s);
}

LAB_TEST(failure_climbs)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct reports reports = {0};
    struct tally tally = {0};
    task *c = parent(s, "c", &tally, thrower(s, "g", &tally, 1, -ECONNRESET));
    task *p = parent(s, "p", &tally, c);

    task_set_error_handler(take_report, &reports);
    step("p awaits c, c awaits g, and g throws");
    expect_int("scheduler_block_on(s, p, NULL)", scheduler_block_on(s, p, NULL), -ECONNRESET);
    expect_trace("p-awaits c-awaits g-0 g-1");
    expect_int("times a task was released", tally.released, 3);
    expect_int("errors reported as lost", reports.count, 0);
    step("the same, spawned: the error is reported once, not for each of them");
    tally = (struct tally){0};
    c = parent(s, "c", &tally, thrower(s, "g", &tally, 1, -ECONNRESET));
    spawn(s, parent(s, "p", &tally, c));
    run_to_end(s);
    expect_int("times a task was released", tally.released, 3);
    expect_int("errors reported as lost", reports.count, 1);
    expect_int("the code of that error", reports.code, -ECONNRESET);
    destroy_scheduler(s);
}
