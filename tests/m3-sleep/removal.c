/* removal.c - Step 4: a sleeper that is destroyed leaves the heap, wherever it stands there. */
#include "lab_test.h"
#include "sleeper.h"

enum { MOST = 9, MOST_DEADLINES = 12 };

static void expect_rest(struct sleep_lab *lab, struct wake_log *log, int n, int without)
{
    size_t count = 0;

    run_all(lab);
    for (int id = 0; id < n; id++) {
        if (id != without) {
            expect_wake(log, count++, id, MILLISECONDS(id + 1));
        }
    }
    expect_int("how many went on", (intptr_t)log->count, (intptr_t)count);
}

static void tell(int n, int stride, int id)
{
    char deadlines[2 * MOST + 1] = "";

    for (int i = 0; i < n; i++) {
        (void)snprintf(deadlines + 2 * i, sizeof deadlines - 2 * (size_t)i, " %d",
                       i * stride % n + 1);
    }
    step("sleepers with deadlines%s; destroy the one with %d", deadlines, id + 1);
}

/* n sleepers, number (i * stride) % n the i-th to go to sleep; the one with number `id` is
 * destroyed. */
static void remove_one(int n, int stride, int id)
{
    static struct wake_log log;
    struct sleep_lab lab;
    task *tasks[MOST] = {0};

    open_sleep_lab(&lab);
    log.count = 0;
    tell(n, stride, id);
    for (int i = 0; i < n; i++) {
        int next = i * stride % n;

        tasks[next] = start(&lab, logged_sleeper(lab.t, &log, next, MILLISECONDS(next + 1)));
    }
    run_ready(&lab);
    expect_int("task_destroy(t)", task_destroy(tasks[id]), 0);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), n - 1);
    expect_rest(&lab, &log, n, id);
    for (int i = 0; i < n; i++) {
        if (i != id) {
            expect_int("task_destroy(t)", task_destroy(tasks[i]), 0);
        }
    }
    close_sleep_lab(&lab);
}

LAB_TEST(any_position_can_be_removed)
{
    for (int n = 1; n <= MOST; n++) {
        for (int id = 0; id < n; id++) {
            remove_one(n, 1, id);
            if (n > 2) {
                remove_one(n, n - 1, id);
            }
        }
    }
    for (int id = 0; id < 7; id++) {
        remove_one(7, 3, id);
    }
}

/* The last of the heap goes into the hole, and has to rise if it comes from another branch. If it
 * does not, that is often mended before anybody sees it: with these it shows in the order. */
struct rise {
    int deadlines[MOST_DEADLINES]; /* in the order of going to sleep; 0: no more */
    int removed;
};

static task *sleep_until_all(struct sleep_lab *lab, struct wake_log *log, const struct rise *rise)
{
    task *removed = NULL;

    for (int i = 0; i < MOST_DEADLINES && rise->deadlines[i] != 0; i++) {
        int deadline = rise->deadlines[i];
        task *t = logged_sleeper(lab->t, log, deadline, MILLISECONDS(deadline));

        if (deadline == rise->removed) {
            removed = start(lab, t);
        } else {
            spawn(lab, t);
        }
    }
    run_ready(lab);
    return removed;
}

static bool sleeps_on(const struct rise *rise, int deadline)
{
    for (int i = 0; i < MOST_DEADLINES; i++) {
        if (rise->deadlines[i] == deadline) {
            return deadline != rise->removed;
        }
    }
    return false;
}

static void expect_order_after_removal(const struct rise *rise)
{
    static struct wake_log log;
    struct sleep_lab lab;
    size_t count = 0;

    open_sleep_lab(&lab);
    log.count = 0;
    expect_int("task_destroy(t)", task_destroy(sleep_until_all(&lab, &log, rise)), 0);
    run_all(&lab);
    for (int deadline = 1; deadline <= 40; deadline++) {
        if (sleeps_on(rise, deadline)) {
            expect_wake(&log, count++, deadline, MILLISECONDS(deadline));
        }
    }
    expect_int("how many went on", (intptr_t)log.count, (intptr_t)count);
    close_sleep_lab(&lab);
}

LAB_TEST(removal_may_move_a_sleeper_up)
{
    static const struct rise by_one = {{2, 3, 20, 27, 9, 34, 23, 35, 28, 15}, 34};
    static const struct rise by_two = {{4, 7, 2, 5, 10, 3, 9, 6, 12, 11, 8, 1}, 7};

    step("sleepers with deadlines 2 3 20 27 9 34 23 35 28 15; destroy the one with 34");
    expect_order_after_removal(&by_one);
    step("sleepers with deadlines 4 7 2 5 10 3 9 6 12 11 8 1; destroy the one with 7");
    expect_order_after_removal(&by_two);
}

LAB_TEST(destroyed_sleeper_is_forgotten)
{
    struct sleep_lab lab;
    task *t;

    open_sleep_lab(&lab);
    step("one task sleeps for 1 s, another for 2 s; destroy the first");
    t = start(&lab, sleeper(&lab, "x", SECONDS(1)));
    spawn(&lab, sleeper(&lab, "y", SECONDS(2)));
    run_ready(&lab);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), SECONDS(2));
    run_all(&lab);
    expect_trace("y@2000");
    expect_int("how often the driver slept on the clock", lab.v.sleeps, 1);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 0);

    step("the only sleeper is destroyed");
    t = start(&lab, sleeper(&lab, "z", SECONDS(1)));
    run_ready(&lab);
    expect_int("task_destroy(t)", task_destroy(t), 0);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), INT64_MAX);
    run_all(&lab);
    expect_int("how often the driver slept on the clock", lab.v.sleeps, 1);
    close_sleep_lab(&lab);
}

LAB_TEST(destroyed_after_its_time_came)
{
    struct sleep_lab lab;
    task *due;

    open_sleep_lab(&lab);
    step("three tasks sleep for 10, 10 and 20 ms; it is 10 ms, and two are ready");
    due = start(&lab, sleeper(&lab, "x", MILLISECONDS(10)));
    spawn(&lab, sleeper(&lab, "y", MILLISECONDS(10)));
    spawn(&lab, sleeper(&lab, "z", MILLISECONDS(20)));
    run_ready(&lab);
    lab.v.time = MILLISECONDS(10);
    expect_int("timers_expire(t)", (intptr_t)timers_expire(lab.t), 2);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 1);

    step("destroy the first before it runs");
    expect_int("task_destroy(t)", task_destroy(due), 0);
    expect_int("timers_count(t)", (intptr_t)timers_count(lab.t), 1);
    expect_int("timers_next_deadline(t)", timers_next_deadline(lab.t), MILLISECONDS(20));
    run_all(&lab);
    expect_trace("y@10 z@20");
    close_sleep_lab(&lab);
}
