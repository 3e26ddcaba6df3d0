/* heap_model.c - Step 2: random schedules against a model that is too simple to be wrong.
 *
 * The seed is printed with a failure; LAB_SEED in the environment repeats it.
 */
#include "lab_test.h"
#include "sleeper.h"

#include <stdlib.h>

enum { MOST = 256 };

/* Every sleeper that there was, in the order of going to sleep. */
struct model {
    struct sleep_lab lab;
    struct wake_log log;
    int count;
    task *tasks[MOST];
    int64_t deadlines[MOST];
    bool asleep[MOST];
    uint64_t random;
};

/* xorshift64: the same numbers everywhere. */
static unsigned next_random(struct model *m, unsigned below)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (unsigned)(m->random >> 33) % below;
}

/* The sleeper that has to wake first: the earliest deadline, of equal ones the oldest. -1: none. */
static int earliest(const struct model *m)
{
    int first = -1;

    for (int i = 0; i < m->count; i++) {
        if (m->asleep[i] && (first < 0 || m->deadlines[i] < m->deadlines[first])) {
            first = i;
        }
    }
    return first;
}

static size_t number_asleep(const struct model *m)
{
    size_t number = 0;

    for (int i = 0; i < m->count; i++) {
        number += m->asleep[i];
    }
    return number;
}

static void add_sleepers(struct model *m)
{
    for (unsigned n = next_random(m, 5) + 1; n > 0 && m->count < MOST; n--) {
        int i = m->count++;

        m->deadlines[i] = m->lab.v.time + 1 + next_random(m, 20);
        m->asleep[i] = true;
        step("sleeper %d until %lld", i, (long long)m->deadlines[i]);
        m->tasks[i] = logged_sleeper(m->lab.t, &m->log, i, m->deadlines[i]);
        start(&m->lab, m->tasks[i]);
    }
    run_ready(&m->lab);
}

static void destroy_one(struct model *m)
{
    size_t number = number_asleep(m);
    size_t chosen = number == 0 ? 0 : next_random(m, (unsigned)number);

    for (int i = 0; i < m->count; i++) {
        if (m->asleep[i] && chosen-- == 0) {
            step("destroy sleeper %d", i);
            expect_int("task_destroy(t)", task_destroy(task_take(&m->tasks[i])), 0);
            m->asleep[i] = false;
            return;
        }
    }
}

static void pass_time(struct model *m)
{
    size_t due = 0;
    int first;

    m->lab.v.time += next_random(m, 12);
    step("the time is %lld", (long long)m->lab.v.time);
    m->log.count = 0;
    for (int i = 0; i < m->count; i++) {
        due += m->asleep[i] && m->deadlines[i] <= m->lab.v.time;
    }
    expect_int("timers_expire(t)", (intptr_t)timers_expire(m->lab.t), (intptr_t)due);
    run_ready(&m->lab);
    for (size_t n = 0; n < due; n++) {
        first = earliest(m);
        expect_wake(&m->log, n, first, m->lab.v.time);
        m->asleep[first] = false;
    }
    expect_int("how many went on", (intptr_t)m->log.count, (intptr_t)due);
}

static void expect_same(const struct model *m)
{
    int first = earliest(m);

    expect_int("timers_count(t)", (intptr_t)timers_count(m->lab.t), (intptr_t)number_asleep(m));
    expect_int("timers_next_deadline(t)", timers_next_deadline(m->lab.t),
               first < 0 ? INT64_MAX : m->deadlines[first]);
}

static void run_schedule(struct model *m, unsigned seed)
{
    *m = (struct model){.random = seed * 0x9E3779B97F4A7C15u + 1};
    open_sleep_lab(&m->lab);
    while (m->count < MOST || number_asleep(m) > 0) {
        switch (next_random(m, 4)) {
        case 0:
        case 1:
            add_sleepers(m);
            break;
        case 2:
            destroy_one(m);
            break;
        default:
            pass_time(m);
        }
        expect_same(m);
    }
    for (int i = 0; i < m->count; i++) {
        expect_int("task_destroy(t)", task_destroy(m->tasks[i]), 0);
    }
    close_sleep_lab(&m->lab);
}

LAB_TEST(random_schedules_match_a_model)
{
    static struct model m;
    const char *fixed = getenv("LAB_SEED");
    unsigned first = fixed != NULL ? (unsigned)strtoul(fixed, NULL, 10) : 1;
    unsigned last = fixed != NULL ? first : 25;

    for (unsigned seed = first; seed <= last; seed++) {
        step("random schedule with LAB_SEED=%u", seed);
        run_schedule(&m, seed);
    }
}
