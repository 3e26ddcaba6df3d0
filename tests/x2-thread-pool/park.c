/* park.c - the place where workers sleep, by itself. */
#include "lab_test.h"
#include "parking.h"
#include "threads.h"

enum { SLEEPERS = 3 };

/* A parking, and what its questions are answered. */
struct lot {
    struct parking parking;
    atomic_bool work;  /* the answer to "is work left?" */
    atomic_bool quiet; /* the answer to "is it quiet?" */
    atomic_uint asked; /* how often the first was asked */
    size_t asleep_when_asked;
    size_t asleep_when_quiet;
    struct door up; /* who has got up arrives here */
    atomic_bool went_on;
};

static size_t asleep(struct lot *lot)
{
    return atomic_load(&lot->parking.count);
}

static bool work_left(void *argument)
{
    struct lot *lot = argument;

    lot->asked++;
    lot->asleep_when_asked = asleep(lot);
    return lot->work;
}

static bool is_quiet(void *argument)
{
    struct lot *lot = argument;

    lot->asleep_when_quiet = asleep(lot);
    return lot->quiet;
}

static void lot_init(struct lot *lot, size_t workers)
{
    *lot = (struct lot){.up = DOOR_CLOSED};
    parking_init(&lot->parking, workers);
}

/* One worker's thread: sleeps once. */
static void *sleep_once(void *argument)
{
    struct lot *lot = argument;
    struct sleeper self;

    sleeper_init(&self);
    lot->went_on = parking_sleep(&lot->parking, &self, work_left, lot);
    sleeper_destroy(&self);
    door_ring(&lot->up);
    return NULL;
}

/* A worker that sleeps has left the lock, which its wait has given free. */
static void await_asleep(struct lot *lot, size_t count)
{
    size_t found;

    do {
        (void)pthread_mutex_lock(&lot->parking.lock);
        found = asleep(lot);
        (void)pthread_mutex_unlock(&lot->parking.lock);
        if (found < count) {
            block_for(1);
        }
    } while (found < count);
}

LAB_TEST(parking_looks_once_more)
{
    struct lot lot;

    lot_init(&lot, 1);
    lot.work = true;
    step("a worker wants to sleep, but there is work");
    join_thread(start_thread(sleep_once, &lot));
    expect_int("times it was asked whether work is left", (intptr_t)lot.asked, 1);
    expect_int("how many counted as asleep then", (intptr_t)lot.asleep_when_asked, 1);
    expect_true("the worker goes on", lot.went_on);
    expect_int("how many count as asleep now", (intptr_t)asleep(&lot), 0);
    step("wake one: nobody sleeps, and nothing happens");
    parking_wake_one(&lot.parking);
    expect_int("how many count as asleep", (intptr_t)asleep(&lot), 0);
    parking_destroy(&lot.parking);
}

LAB_TEST(parking_wakes_one_at_a_time)
{
    struct lot lot;
    pthread_t threads[SLEEPERS];

    lot_init(&lot, SLEEPERS);
    for (int i = 0; i < SLEEPERS; i++) {
        threads[i] = start_thread(sleep_once, &lot);
    }
    await_asleep(&lot, SLEEPERS);
    for (unsigned i = 1; i <= SLEEPERS; i++) {
        step("wake one of those that sleep, %d at first", SLEEPERS);
        parking_wake_one(&lot.parking);
        expect_int("how many count as asleep", (intptr_t)asleep(&lot), (intptr_t)(SLEEPERS - i));
        door_await(&lot.up, i);
        expect_int("how many got up", (intptr_t)lot.up.arrived, (intptr_t)i);
    }
    for (int i = 0; i < SLEEPERS; i++) {
        join_thread(threads[i]);
    }
    parking_destroy(&lot.parking);
}

LAB_TEST(parking_wakes_another_each_time)
{
    struct lot lot;
    pthread_t threads[SLEEPERS];

    lot_init(&lot, SLEEPERS);
    for (int i = 0; i < SLEEPERS; i++) {
        threads[i] = start_thread(sleep_once, &lot);
    }
    await_asleep(&lot, SLEEPERS);
    step("wake one, %d times in a row, before any of them can get up", SLEEPERS);
    for (int i = 0; i < SLEEPERS; i++) {
        parking_wake_one(&lot.parking);
    }
    expect_int("how many count as asleep", (intptr_t)asleep(&lot), 0);
    door_await(&lot.up, SLEEPERS);
    for (int i = 0; i < SLEEPERS; i++) {
        join_thread(threads[i]);
    }
    parking_destroy(&lot.parking);
}

static void *drain(void *argument)
{
    struct lot *lot = argument;

    parking_drain(&lot->parking, is_quiet, lot);
    return NULL;
}

static void await_draining(struct lot *lot)
{
    bool draining = false;

    while (!draining) {
        block_for(1);
        (void)pthread_mutex_lock(&lot->parking.lock);
        draining = lot->parking.draining;
        (void)pthread_mutex_unlock(&lot->parking.lock);
    }
}

LAB_TEST(parking_drains_when_all_sleep)
{
    struct lot lot;
    pthread_t drainer, first, second;

    lot_init(&lot, 2);
    step("one of two workers sleeps; drain");
    first = start_thread(sleep_once, &lot);
    await_asleep(&lot, 1);
    drainer = start_thread(drain, &lot);
    await_draining(&lot);
    step("wake that one, as work has come: it goes on");
    parking_wake_one(&lot.parking);
    join_thread(first);
    expect_true("it goes on", lot.went_on);
    step("both sleep, and it is quiet: now both end");
    lot.quiet = true;
    first = start_thread(sleep_once, &lot);
    second = start_thread(sleep_once, &lot);
    join_thread(drainer);
    join_thread(first);
    join_thread(second);
    expect_true("the last one to get up was told to end", !lot.went_on);
    expect_int("how many slept when it was asked whether it is quiet",
               (intptr_t)lot.asleep_when_quiet, 2);
    step("who comes now does not sleep, and is told to end");
    join_thread(start_thread(sleep_once, &lot));
    expect_true("it is told to end", !lot.went_on);
    parking_destroy(&lot.parking);
}

/* ---- No wake-up is lost ---------------------------------------------------------------------- */

enum { ERRANDS = 20000 };

struct errands {
    struct lot lot;
    atomic_uint waiting; /* to be run */
    struct door done;
};

static bool errand_left(void *argument)
{
    const struct errands *e = argument;

    return atomic_load(&e->waiting) > 0;
}

static bool take_errand(struct errands *e)
{
    unsigned waiting = atomic_load(&e->waiting);

    while (waiting > 0) {
        if (atomic_compare_exchange_weak(&e->waiting, &waiting, waiting - 1)) {
            return true;
        }
    }
    return false;
}

static void *run_errands(void *argument)
{
    struct errands *e = argument;
    struct sleeper self;
    bool goes_on = true;

    sleeper_init(&self);
    while (goes_on) {
        if (take_errand(e)) {
            door_ring(&e->done);
        } else {
            goes_on = parking_sleep(&e->lot.parking, &self, errand_left, e);
        }
    }
    sleeper_destroy(&self);
    return NULL;
}

LAB_TEST(parking_loses_no_wake_up)
{
    static struct errands e = {.done = DOOR_CLOSED};
    pthread_t threads[2];

    lot_init(&e.lot, 2);
    for (int i = 0; i < 2; i++) {
        threads[i] = start_thread(run_errands, &e);
    }
    step(
        "one errand at a time, %d times: each must be run, though workers fall asleep all the time",
        ERRANDS);
    for (unsigned i = 1; i <= ERRANDS; i++) {
        atomic_fetch_add(&e.waiting, 1);
        parking_wake_one(&e.lot.parking);
        door_await(&e.done, i);
    }
    parking_close(&e.lot.parking);
    for (int i = 0; i < 2; i++) {
        join_thread(threads[i]);
    }
    parking_destroy(&e.lot.parking);
}
