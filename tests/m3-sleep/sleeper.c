/* sleeper.c - coroutines that sleep once and note when they went on. */
#include "sleeper.h"

#include "lab_test.h"

#include <string.h>

struct sleeper {
    task task;
    struct sleep_lab *lab;
    char name[16];
    int64_t duration;
    intptr_t slept;
};

static void sleeper_body(co_handle frame)
{
    struct sleeper *self = (struct sleeper *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->slept, sleep_for(self->lab->t, self->duration));
    if (self->slept == 0) {
        trace("%s@%.15g", self->name, (double)self->lab->v.time / 1e6);
    } else {
        trace("%s:%s", self->name, strerrorname_np((int)-self->slept));
    }
    CO_RETURN(self, self->slept);
    CO_END(self);
}

task *sleeper(struct sleep_lab *lab, const char *name, int64_t duration)
{
    struct sleeper *self = malloc(sizeof *self);

    self->lab = lab;
    self->duration = duration;
    (void)snprintf(self->name, sizeof self->name, "%s", name);
    return task_init(&self->task, "sleeper", sleeper_body, NULL);
}

struct logged_sleeper {
    task task;
    timers *timers;
    lab_clock *clock;
    struct wake_log *log;
    int id;
    int64_t deadline;
    intptr_t slept;
};

static void log_wake(struct wake_log *log, int id, int64_t time, intptr_t value)
{
    if (log->count == sizeof log->wakes / sizeof log->wakes[0]) {
        fail_test("more wake-ups than sleepers");
    }
    log->wakes[log->count++] = (struct wake){id, time, value};
}

static void logged_sleeper_body(co_handle frame)
{
    struct logged_sleeper *self = (struct logged_sleeper *)frame;

    CO_BEGIN(self);
    self->clock = timers_clock(self->timers);
    CO_AWAIT(self, self->slept, sleep_until(self->timers, self->deadline));
    log_wake(self->log, self->id, self->clock->now(self->clock), self->slept);
    CO_RETURN(self, self->slept);
    CO_END(self);
}

task *logged_sleeper(timers *t, struct wake_log *log, int id, int64_t deadline)
{
    struct logged_sleeper *self = malloc(sizeof *self);

    self->timers = t;
    self->log = log;
    self->id = id;
    self->deadline = deadline;
    return task_init(&self->task, "logged_sleeper", logged_sleeper_body, NULL);
}

void expect_wake(const struct wake_log *log, size_t n, int id, int64_t time)
{
    char what[64];

    (void)snprintf(what, sizeof what, "wake-up number %zu: the sleeper", n + 1);
    expect_true("one more sleeper went on", n < log->count);
    expect_int(what, log->wakes[n].id, id);
    (void)snprintf(what, sizeof what, "wake-up number %zu: its time", n + 1);
    expect_time(what, log->wakes[n].time, time, time);
    expect_int("the value of its sleep", log->wakes[n].value, 0);
}
