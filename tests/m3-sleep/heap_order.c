/* heap_order.c - Step 2: whatever the order of going to sleep, sleepers wake by deadline. */
#include "lab_test.h"
#include "sleeper.h"

LAB_TEST(equal_deadlines_keep_their_order)
{
    static struct wake_log log;
    struct sleep_lab lab;
    const int sizes[] = {2, 3, 8, 300};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        open_sleep_lab(&lab);
        log.count = 0;
        step("%d tasks sleep until 10 ms", sizes[i]);
        for (int id = 0; id < sizes[i]; id++) {
            spawn(&lab, logged_sleeper(lab.t, &log, id, MILLISECONDS(10)));
        }
        run_all(&lab);
        for (int id = 0; id < sizes[i]; id++) {
            expect_wake(&log, (size_t)id, id, MILLISECONDS(10));
        }
        close_sleep_lab(&lab);
    }
}

LAB_TEST(equal_deadlines_among_others)
{
    static struct wake_log log;
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("60 tasks sleep until 1, 2 or 3 ms, in turn");
    for (int id = 0; id < 60; id++) {
        spawn(&lab, logged_sleeper(lab.t, &log, id, MILLISECONDS(id % 3 + 1)));
    }
    run_all(&lab);
    for (int n = 0; n < 60; n++) {
        expect_wake(&log, (size_t)n, n % 20 * 3 + n / 20, MILLISECONDS(n / 20 + 1));
    }
    close_sleep_lab(&lab);
}

LAB_TEST(deadlines_far_apart)
{
    const int64_t day = SECONDS(86400);
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("sleep for 3 s and for 10 ms: the difference does not fit into 32 bits");
    spawn(&lab, sleeper(&lab, "late", SECONDS(3)));
    spawn(&lab, sleeper(&lab, "soon", MILLISECONDS(10)));
    run_all(&lab);
    expect_trace("soon@10 late@3000");

    trace_clear();
    lab.v.time = 0;
    step("sleep for 30 days, 1 ms, 100 years, and 2^32 ns less 1 ms");
    spawn(&lab, sleeper(&lab, "month", 30 * day));
    spawn(&lab, sleeper(&lab, "soon", MILLISECONDS(1)));
    spawn(&lab, sleeper(&lab, "century", 36500 * day));
    spawn(&lab, sleeper(&lab, "wrap", ((int64_t)1 << 32) - MILLISECONDS(1)));
    run_all(&lab);
    expect_trace("soon@1 wrap@4293.967296 month@2592000000 century@3153600000000");
    close_sleep_lab(&lab);
}

static void swap(int *a, int *b)
{
    int old = *a;

    *a = *b;
    *b = old;
}

/* Makes the next permutation in lexical order; false after the last. */
static bool next_permutation(int *p, int n)
{
    int i = n - 2;
    int j = n - 1;

    while (i >= 0 && p[i] > p[i + 1]) {
        i--;
    }
    if (i < 0) {
        return false;
    }
    while (p[j] < p[i]) {
        j--;
    }
    swap(&p[i], &p[j]);
    for (i++, j = n - 1; i < j; i++, j--) {
        swap(&p[i], &p[j]);
    }
    return true;
}

/* Sleepers with the deadlines p[0] ... p[n - 1], in ms, wake as 1, 2, ... n. */
static void expect_sorted(struct sleep_lab *lab, const int *p, int n)
{
    static struct wake_log log;
    char order[32] = "";

    for (int i = 0; i < n; i++) {
        (void)snprintf(order + 2 * i, sizeof order - 2 * (size_t)i, "%d ", p[i]);
    }
    step("deadlines in the order %s", order);
    log.count = 0;
    lab->v.time = 0;
    for (int i = 0; i < n; i++) {
        spawn(lab, logged_sleeper(lab->t, &log, p[i], MILLISECONDS(p[i])));
    }
    run_all(lab);
    for (int i = 0; i < n; i++) {
        expect_wake(&log, (size_t)i, i + 1, MILLISECONDS(i + 1));
    }
}

LAB_TEST(every_permutation_is_sorted)
{
    struct sleep_lab lab;

    for (int n = 1; n <= 6; n++) {
        int p[] = {1, 2, 3, 4, 5, 6};

        open_sleep_lab(&lab);
        do {
            expect_sorted(&lab, p, n);
        } while (next_permutation(p, n));
        close_sleep_lab(&lab);
    }
}

LAB_TEST(hundreds_of_sleepers)
{
    enum { SLEEPERS = 500 };
    static struct wake_log log;
    struct sleep_lab lab;

    open_sleep_lab(&lab);
    step("%d tasks sleep, with deadlines in a scrambled order", SLEEPERS);
    for (int i = 0; i < SLEEPERS; i++) {
        int id = (i * 7919 + 13) % SLEEPERS;

        spawn(&lab, logged_sleeper(lab.t, &log, id, MILLISECONDS(id + 1)));
    }
    run_all(&lab);
    for (int id = 0; id < SLEEPERS; id++) {
        expect_wake(&log, (size_t)id, id, MILLISECONDS(id + 1));
    }
    close_sleep_lab(&lab);
}
