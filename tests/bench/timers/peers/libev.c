/* timers, by libev. */
#include "measure.h"

#include <ev.h>
#include <string.h>

static struct ev_loop *loop;
static int64_t shortest; /* microseconds */

struct sleeper {
    ev_timer timer;
    long left;
};

static void start(struct sleeper *self)
{
    ev_timer_set(&self->timer, (double)(shortest + random_below(shortest)) * 1e-6, 0.);
    ev_timer_start(loop, &self->timer);
}

static void on_time(struct ev_loop *l, ev_timer *timer, int events)
{
    struct sleeper *self = (struct sleeper *)timer;

    (void)l;
    (void)events;
    if (--self->left > 0) {
        start(self);
    }
}

static void start_all(struct sleeper *sleepers, long count, long sleeps)
{
    for (long i = 0; i < count; i++) {
        ev_init(&sleepers[i].timer, on_time);
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
            ev_timer_stop(loop, &sleepers[order[i]].timer);
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

    loop = ev_default_loop(0);
    if (strcmp(argv[1], "cancel") == 0) {
        shortest = 3600000000;
        bench_cancel(sleepers, count, repeats);
        return 0;
    }
    shortest = argument(argc, argv, 4);
    ev_now_update(loop);
    began = processor_ns();
    start_all(sleepers, count, repeats);
    (void)ev_run(loop, 0);
    report_each(processor_ns() - began, count * repeats);
    return 0;
}
