/* real_time.c - Step 5: the same on the real clock: many sleeps, one thread, no busy wait.
 *
 * Lower bounds are strict. The upper bounds leave a loaded machine room, and still tell sleeps that
 * overlap (100 ms) from sleeps one after another (2 s).
 */
#include "lab_test.h"
#include "sleep_lab.h"

#include <dirent.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

enum { SLEEPERS = 20 };

static int64_t cpu_time(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return SECONDS(t.tv_sec) + t.tv_nsec;
}

static int count_threads(void)
{
    DIR *threads = opendir("/proc/self/task");
    int count = -2; /* for . and .. */

    while (readdir(threads) != NULL) {
        count++;
    }
    (void)closedir(threads);
    return count;
}

struct real_sleeper {
    task task;
    timers *timers;
    int64_t duration;
    int64_t began;
    int64_t took;
    int threads; /* when it woke */
};

static void real_sleeper_body(co_handle frame)
{
    struct real_sleeper *self = (struct real_sleeper *)frame;

    CO_BEGIN(self);
    self->began = lab_clock_monotonic()->now(lab_clock_monotonic());
    CO_AWAIT(self, self->task.ignored, sleep_for(self->timers, self->duration));
    self->took = lab_clock_monotonic()->now(lab_clock_monotonic()) - self->began;
    self->threads = count_threads();
    CO_END(self);
}

/* The frames are the test's own, which reads them afterwards. */
static void keep_frame(co_handle frame)
{
    (void)frame;
}

/* Runs `count` sleepers side by side. Each must have slept long enough; returns the time of it all.
 */
static int64_t sleep_together(struct real_sleeper *sleepers, int count, int64_t duration)
{
    struct sleep_lab lab;
    int64_t began = lab_clock_monotonic()->now(lab_clock_monotonic());

    lab.s = scheduler_create(SCHEDULER_FIFO);
    lab.t = timers_create(lab_clock_monotonic());
    scheduler_set_driver(lab.s, timers_driver(lab.t));
    for (int i = 0; i < count; i++) {
        sleepers[i].timers = lab.t;
        sleepers[i].duration = duration;
        start(&lab, task_init(&sleepers[i].task, "real_sleeper", real_sleeper_body, keep_frame));
    }
    run_all(&lab);
    for (int i = 0; i < count; i++) {
        expect_true("every sleeper slept at least as long as it should",
                    sleepers[i].took >= duration);
    }
    close_sleep_lab(&lab);
    return lab_clock_monotonic()->now(lab_clock_monotonic()) - began;
}

LAB_TEST(real_sleeps_overlap_without_work)
{
    static struct real_sleeper sleepers[SLEEPERS];
    int threads = count_threads();
    int64_t cpu = cpu_time();
    int64_t took;

    step("%d tasks sleep for 100 ms on the real clock", SLEEPERS);
    took = sleep_together(sleepers, SLEEPERS, MILLISECONDS(100));
    expect_time("the time of it all", took, MILLISECONDS(100), MILLISECONDS(1500));
    expect_time("processor time used meanwhile", cpu_time() - cpu, 0, MILLISECONDS(60));
    expect_int("threads while they slept", sleepers[0].threads, threads);
}

static void ignore_alarm(int number)
{
    (void)number;
}

LAB_TEST(real_signals_do_not_end_a_sleep)
{
    static struct real_sleeper sleeper;
    struct sigaction action = {.sa_handler = ignore_alarm};
    struct itimerval often = {{0, 2000}, {0, 2000}};
    struct itimerval never = {{0, 0}, {0, 0}};
    int64_t took;

    step("a task sleeps for 60 ms on the real clock; a signal comes every 2 ms");
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    took = sleep_together(&sleeper, 1, MILLISECONDS(60));
    (void)setitimer(ITIMER_REAL, &never, NULL);
    expect_time("the time of it all", took, MILLISECONDS(60), MILLISECONDS(1500));
}
