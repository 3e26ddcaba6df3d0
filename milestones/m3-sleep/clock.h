/* clock.h - given: where time comes from.
 *
 * Timers are handed a clock, so that tests can run on a virtual one: no test has to sleep, and
 * every deadline can be checked to the nanosecond.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Times and durations are in nanoseconds. */
#define MICROSECONDS(n) ((int64_t)(n)*1000)
#define MILLISECONDS(n) ((int64_t)(n)*1000000)
#define SECONDS(n)      ((int64_t)(n)*1000000000)

typedef struct lab_clock lab_clock;
struct lab_clock {
    /* Nanoseconds since some fixed moment; never goes back. */
    int64_t (*now)(lab_clock *self);
    /* Sleeps until now() >= deadline. May return earlier, when a signal arrives: look at now(). */
    void (*sleep_until)(lab_clock *self, int64_t deadline);
};

/* The system's monotonic clock (CLOCK_MONOTONIC): not moved by anybody who sets the date. */
lab_clock *lab_clock_monotonic(void);

/* A clock that stands still until somebody sleeps on it or moves it. */
typedef struct virtual_clock virtual_clock;
struct virtual_clock {
    lab_clock clock; /* first: hand out &v.clock */
    int64_t time;    /* what now() says; move it forward as you like */
    int64_t sleeps;  /* how often somebody slept on it */
};

/* Starts `v` at `time`. */
void virtual_clock_init(virtual_clock *v, int64_t time);

#ifdef __cplusplus
}
#endif

#endif
