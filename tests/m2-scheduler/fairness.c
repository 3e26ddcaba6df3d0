/* fairness.c - rounds: the driver gets its turn however busy the coroutines are. */
#include "fake_driver.h"
#include "lab_test.h"
#include "workers.h"

LAB_TEST(rounds)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct fake_driver d;

    step("plug in a driver; spawn a task that waits there, and two that yield twice; run");
    fake_driver_init(&d, 1);
    d.tells = true;
    scheduler_set_driver(s, &d.driver);
    spawn(s, gate_waiter(s, "g", NULL, &d.gates[0]));
    spawn(s, yielder(s, "A", NULL, 2, 0));
    spawn(s, yielder(s, "B", NULL, 2, 0));
    run_to_end(s);
    expect_string("up to where nothing is ready", trace_text(),
                  "g-waits A-0 B-0 poll A-1 B-1 poll A-2 B-2 block g-got-1");
    destroy_scheduler(s);
}

/* Counts resumptions between its polls; waits for nothing, and says that it does until it has had
 * enough. */
struct watching_driver {
    driver driver;
    const struct tally *tally;
    unsigned seen;    /* resumptions at the last poll */
    unsigned longest; /* most resumptions between two polls */
    unsigned polls;
    bool waits;
};

static bool watching_pending(driver *self)
{
    return ((const struct watching_driver *)self)->waits;
}

static int watching_poll(driver *self, bool may_block)
{
    struct watching_driver *d = (struct watching_driver *)self;
    unsigned since = d->tally->resumed - d->seen;

    d->polls++;
    d->longest = since > d->longest ? since : d->longest;
    d->seen = d->tally->resumed;
    if (may_block) {
        d->waits = false; /* what it waited for has happened; nobody is to be woken */
    }
    return 0;
}

static void quiet_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    for (self->i = 0; self->i < self->steps; self->i++) {
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    CO_END(self);
}

static void spawn_quiet(scheduler *s, struct tally *tally, int steps)
{
    struct worker *self = worker_counted(s, "quiet", tally, quiet_body);

    self->steps = steps;
    spawn(s, &self->task);
}

static void expect_polled_often(scheduler *s, const struct tally *tally)
{
    struct watching_driver d = {.driver = {watching_pending, watching_poll},
                                .tally = tally,
                                .seen = tally->resumed,
                                .waits = true};

    scheduler_set_driver(s, &d.driver);
    run_to_end(s);
    expect_between("resumptions between two polls of the driver", d.longest, 1, 64);
    expect_between("polls", d.polls, (int64_t)tally->resumed / 64, INT64_MAX);
    scheduler_set_driver(s, NULL);
}

LAB_TEST(driver_is_polled_every_64)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct tally tally = {0};
    int i;

    step("1,000 ready coroutines that yield once");
    for (i = 0; i < 1000; i++) {
        spawn_quiet(s, &tally, 1);
    }
    expect_polled_often(s, &tally);
    expect_int("resumptions", tally.resumed, 2000);
    step("one that yields 1,000 times");
    spawn_quiet(s, &tally, 1000);
    expect_polled_often(s, &tally);
    expect_int("resumptions", tally.resumed, 3001);
    destroy_scheduler(s);
}

LAB_TEST(driver_is_polled_in_lifo)
{
    scheduler *s = new_scheduler(SCHEDULER_LIFO);
    struct tally tally = {0};
    int i;

    step("ten coroutines that yield 1,000 times each, the last one always first");
    for (i = 0; i < 10; i++) {
        spawn_quiet(s, &tally, 1000);
    }
    expect_polled_often(s, &tally);
    expect_int("resumptions", tally.resumed, 10010);
    destroy_scheduler(s);
}

/* Yields until the flag is set. */
static void impatient_body(co_handle frame)
{
    struct worker *self = worker_enter(frame);

    CO_BEGIN(self);
    while (self->gate->waiting != NULL) {
        if (self->i++ > 10000) {
            fail_test("the driver had no turn in 10,000 resumptions of a busy coroutine");
        }
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    CO_END(self);
}

LAB_TEST(busy_task_does_not_shut_out_the_driver)
{
    scheduler *s = new_scheduler(SCHEDULER_FIFO);
    struct worker *busy = worker_counted(s, "busy", NULL, impatient_body);
    struct fake_driver d;

    step("a coroutine yields until the driver, at its third poll, has woken another one");
    fake_driver_init(&d, 1);
    d.patience = 3;
    busy->gate = &d.gates[0];
    scheduler_set_driver(s, &d.driver);
    spawn(s, gate_waiter(s, "g", NULL, &d.gates[0]));
    spawn(s, &busy->task);
    run_to_end(s);
    expect_trace("g-waits g-got-1");
    expect_int("polls in which the driver might block", d.blocked, 0);
    destroy_scheduler(s);
}
