/* timers: sleep or virtual TASKS SLEEPS MICROSECONDS, or cancel TASKS ROUNDS.
 *
 * sleep: nanoseconds of a sleep, from the await to the resumption, while TASKS coroutines sleep
 * SLEEPS times each, for one to two times MICROSECONDS, on the event loop.
 * virtual: the same on a virtual clock and without an event loop, to count instructions.
 * cancel: nanoseconds to withdraw one of TASKS sleepers, in random order, until none is left.
 */
#include "event_loop.h"
#include "measure.h"

#include <string.h>

static scheduler *s;
static timers *clockwork;
static int64_t shortest;

/* ---- Sleeping ------------------------------------------------------------- */

struct sleeper {
    task task;
    long left;
};

static void sleeper_body(co_handle frame)
{
    struct sleeper *self = (struct sleeper *)frame;

    CO_BEGIN(self);
    for (; self->left > 0; self->left--) {
        CO_AWAIT(self, self->task.ignored, sleep_for(clockwork, shortest + random_below(shortest)));
    }
    CO_END(self);
}

/* The frames lie in an array of the program's. */
static void release_nothing(co_handle frame)
{
    (void)frame;
}

static task *sleeper(struct sleeper *self, long sleeps)
{
    self->left = sleeps;
    return task_init(&self->task, "sleeper", sleeper_body, release_nothing);
}

static void bench_sleep(struct sleeper *sleepers, long count, long sleeps)
{
    int64_t began;

    for (long i = 0; i < count; i++) {
        (void)scheduler_spawn(s, sleeper(&sleepers[i], sleeps));
    }
    began = processor_ns();
    (void)scheduler_run(s);
    report_each(processor_ns() - began, count * sleeps);
}

/* ---- Cancelling ----------------------------------------------------------- */

struct canceller {
    task task;
    struct sleeper *sleepers;
    const long *order;
    long count;
    int64_t took;
};

/* Spawned last: when it runs, all others sleep. */
static void canceller_body(co_handle frame)
{
    struct canceller *self = (struct canceller *)frame;
    int64_t began;

    CO_BEGIN(self);
    began = processor_ns();
    for (long i = 0; i < self->count; i++) {
        (void)task_destroy(&self->sleepers[self->order[i]].task);
    }
    self->took += processor_ns() - began;
    CO_END(self);
}

static void bench_cancel(struct sleeper *sleepers, long count, long rounds)
{
    struct canceller self = {.sleepers = sleepers, .order = random_order(count), .count = count};

    shortest = SECONDS(3600);
    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < count; i++) {
            (void)scheduler_start(s, sleeper(&sleepers[i], 1));
        }
        (void)scheduler_spawn(s,
                              task_init(&self.task, "canceller", canceller_body, release_nothing));
        (void)scheduler_run(s);
    }
    report_each(self.took, count * rounds);
}

int main(int argc, char **argv)
{
    long count = argument(argc, argv, 2), repeats = argument(argc, argv, 3);
    bool is_virtual = strcmp(argv[1], "virtual") == 0;
    struct sleeper *sleepers = allocate((size_t)count * sizeof *sleepers);
    event_loop *loop = NULL;
    virtual_clock no_time;

    virtual_clock_init(&no_time, 0);
    s = scheduler_create(SCHEDULER_FIFO);
    clockwork = timers_create(is_virtual ? &no_time.clock : lab_clock_monotonic());
    if (strcmp(argv[1], "cancel") == 0) {
        bench_cancel(sleepers, count, repeats);
    } else {
        shortest = MICROSECONDS(argument(argc, argv, 4));
        scheduler_set_driver(s, timers_driver(clockwork));
        loop = is_virtual ? NULL : event_loop_create(s, clockwork, 0);
        bench_sleep(sleepers, count, repeats);
    }
    (void)scheduler_destroy(s);
    event_loop_destroy(loop);
    timers_destroy(clockwork);
    free(sleepers);
    return 0;
}
