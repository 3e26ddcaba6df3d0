/* heap_model.c - Step 2: random schedules against a model that is too simple to be wrong. */
#include "chance.h"
#include "lab_test.h"
#include "sleeper.h"

enum { MOST = 256 };

/* Every sleeper that there was, in the order of going to sleep. */
struct model {
    struct sleep_lab lab;
    struct wake_log log;
    int count;
    task *tasks[MOST];
    int64_t deadlines[MOST];
    bool asleep[MOST];
    struct chance chance;
};

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
    for (int n = chance_below(&m->chance, 5) + 1; n > 0 && m->count < MOST; n--) {
        int i = m->count++;

        m->deadlines[i] = m->lab.v.time + 1 + chance_below(&m->chance, 20);
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
    size_t chosen = number == 0 ? 0 : (size_t)chance_below(&m->chance, (int)number);

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

    m->lab.v.time += chance_below(&m->chance, 12);
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

static void run_schedule(struct chance chance)
{
    static struct model model;
    struct model *m = &model;

    *m = (struct model){.chance = chance};
    open_sleep_lab(&m->lab);
    while (m->count < MOST || number_asleep(m) > 0) {
        switch (chance_below(&m->chance, 4)) {
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
    for_each_seed(run_schedule);
}
