/* timers, by libuv. */
#include "measure.h"

#include <string.h>
#include <uv.h>

static uv_loop_t *loop;
static int64_t shortest; /* microseconds */

struct sleeper {
    uv_timer_t timer;
    long left;
};

static void start(struct sleeper *self);

static void on_time(uv_timer_t *timer)
{
    struct sleeper *self = (struct sleeper *)timer;

    if (--self->left > 0) {
        start(self);
    }
}

static void start(struct sleeper *self)
{
    uint64_t ms = (uint64_t)(shortest + random_below(shortest)) / 1000;

    (void)uv_timer_start(&self->timer, on_time, ms, 0);
}

static void start_all(struct sleeper *sleepers, long count, long sleeps)
{
    for (long i = 0; i < count; i++) {
        (void)uv_timer_init(loop, &sleepers[i].timer);
        sleepers[i].left = sleeps;
    }
    for (long i = 0; i < count; i++) {
        start(&sleepers[i]);
    }
}

static void bench_cancel(struct sleeper *sleepers, long count, long rounds)
{
    const long *order = random_order(count);
    int64_t took = 0;

    for (long round = 0; round < rounds; round++) {
        int64_t began;

        start_all(sleepers, count, 1);
        began = processor_ns();
        for (long i = 0; i < count; i++) {
            (void)uv_timer_stop(&sleepers[order[i]].timer);
        }
        took += processor_ns() - began;
    }
    report_each(took, count * rounds);
}

int main(int argc, char **argv)
{
    long count = argument(argc, argv, 2), repeats = argument(argc, argv, 3);
    struct sleeper *sleepers = allocate((size_t)count * sizeof *sleepers);
    int64_t began;

    loop = uv_default_loop();
    if (strcmp(argv[1], "cancel") == 0) {
        shortest = 3600000000;
        bench_cancel(sleepers, count, repeats);
        return 0;
    }
    shortest = argument(argc, argv, 4);
    uv_update_time(loop);
    began = processor_ns();
    start_all(sleepers, count, repeats);
    (void)uv_run(loop, UV_RUN_DEFAULT);
    report_each(processor_ns() - began, count * repeats);
    return 0;
}
