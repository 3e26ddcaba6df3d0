/* memory.c - Step 5: out of memory is an error code, and sleeping for long costs no more memory. */
#include "lab_test.h"
#include "sleeper.h"

#include <errno.h>

enum { SLEEPERS = 60 };

/* Sleeps until its deadline; if there is no room for it, tries once more. */
struct retrier {
    task task;
    timers **timers;
    virtual_clock *v;
    int64_t deadline;
    int failures;
    int64_t failed_at, woke_at;
    intptr_t slept;
};

static void retrier_body(co_handle frame)
{
    struct retrier *self = (struct retrier *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->slept, sleep_until(*self->timers, self->deadline));
    if (self->slept != 0) {
        expect_int("the value of a sleep for which there is no room", self->slept, -ENOMEM);
        self->failures++;
        self->failed_at = self->v->time;
        CO_AWAIT(self, self->slept, sleep_until(*self->timers, self->deadline));
        expect_int("the value of the same sleep, tried again", self->slept, 0);
    }
    self->woke_at = self->v->time;
    CO_END(self);
}

/* Frames are made before the memory runs out, and read after the run. */
static void keep_frame(co_handle frame)
{
    (void)frame;
}

static struct retrier retriers[SLEEPERS];

/* SLEEPERS tasks sleep while allocation number n fails. Returns how many there were. */
static unsigned long sleep_without_memory(unsigned long n)
{
    struct sleep_lab lab = {0};
    unsigned long allocations;
    int failures = 0;

    open_watched_clock(&lab.v);
    lab.s = scheduler_create(SCHEDULER_FIFO);
    for (int i = 0; i < SLEEPERS; i++) {
        retriers[i] = (struct retrier){.timers = &lab.t, .v = &lab.v};
        retriers[i].deadline = MILLISECONDS(SLEEPERS - i);
        start(&lab, task_init(&retriers[i].task, "retrier", retrier_body, keep_frame));
    }
    step("%d tasks go to sleep, and allocation number %lu fails", SLEEPERS, n);
    fail_allocation(n);
    errno = 0;
    lab.t = timers_create(&lab.v.clock);
    if (lab.t == NULL) {
        expect_int("errno after timers_create", errno, ENOMEM);
        failures = 1;
        lab.t = timers_create(&lab.v.clock);
        expect_true("timers_create, called again, gives timers", lab.t != NULL);
    }
    scheduler_set_driver(lab.s, timers_driver(lab.t));
    run_all(&lab);
    allocations = allocation_count();
    fail_allocation(0);

    for (int i = 0; i < SLEEPERS; i++) {
        expect_time("when a task went on", retriers[i].woke_at, retriers[i].deadline,
                    retriers[i].deadline);
        expect_time("when it was refused, if it was", retriers[i].failed_at, 0, 0);
        failures += retriers[i].failures;
    }
    expect_between("how many failures were told", failures, 0, n <= allocations);
    close_sleep_lab(&lab);
    return allocations;
}

LAB_TEST(no_memory_is_an_error_code)
{
    unsigned long n = 1;

    while (n <= sleep_without_memory(n)) {
        n++;
    }
    expect_true("timers_create, at least, allocates", n > 1);
}

struct long_sleeper {
    task task;
    struct sleep_lab *lab;
    int rounds, i;
    size_t blocks_before; /* after the first 100 rounds */
};

static void long_sleeper_body(co_handle frame)
{
    struct long_sleeper *self = (struct long_sleeper *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < self->rounds; self->i++) {
        if (self->i == 100) {
            self->blocks_before = live_blocks();
        }
        CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(1 + self->i % 3)));
    }
    CO_END(self);
}

LAB_TEST(many_sleeps_take_no_more_memory)
{
    struct sleep_lab lab;
    struct long_sleeper frames[10];

    open_sleep_lab(&lab);
    step("10 tasks sleep 2000 times each");
    for (int i = 0; i < 10; i++) {
        frames[i] = (struct long_sleeper){.lab = &lab, .rounds = 2000};
        start(&lab, task_init(&frames[i].task, "long_sleeper", long_sleeper_body, keep_frame));
    }
    run_all(&lab);
    expect_between("live blocks of memory after all, against those after 100 sleeps each",
                   (int64_t)live_blocks(), 0, (int64_t)frames[9].blocks_before);
    close_sleep_lab(&lab);
}
