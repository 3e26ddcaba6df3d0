/* timers.h - milestone 3: sleeping without a thread, on a heap of deadlines.
 *
 * Times are nanoseconds of the clock that was handed in. A sleeper is never woken early; sleepers
 * with equal deadlines wake in the order in which they went to sleep.
 */
#ifndef TIMERS_H
#define TIMERS_H

#include "clock.h"
#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct timers timers;

/* NULL with errno set: ENOMEM. The clock must outlive the timers. */
timers *timers_create(lab_clock *clock);

/* Wakes whoever still sleeps here (the value of the await is -ECANCELED). NULL is fine. */
void timers_destroy(timers *t);

/* ---- Awaiters ------------------------------------------------------------ */

/* Sleeps until the clock says `deadline`; a deadline that has passed behaves as a yield. The value
 * is 0, or a negative errno:
 *   -ENOMEM     no room in the heap; did not sleep
 *   -ECANCELED  the timers were destroyed, or the sleeper was resumed by hand
 *   -EINVAL     the coroutine has no executor that could wake it */
awaiter sleep_until(timers *t, int64_t deadline);

/* Sleeps for `duration`, counted from the clock's time at this call; zero or less behaves as a
 * yield. A sum beyond INT64_MAX means INT64_MAX: for ever. */
awaiter sleep_for(timers *t, int64_t duration);

/* ---- For the scheduler, or for an event loop that waits for more than time ---- */

/* The driver to plug into a scheduler: pending while somebody sleeps; to block is to sleep until
 * the earliest deadline. Lives as long as the timers. */
driver *timers_driver(timers *t);

/* The earliest deadline; INT64_MAX if nobody sleeps. */
int64_t timers_next_deadline(const timers *t);

/* Makes ready every sleeper whose deadline has come, by one look at the clock, in order. Returns
 * how many. Sleeps that begin while those run are not among them, however short. */
size_t timers_expire(timers *t);

/* How many sleep. */
size_t timers_count(const timers *t);

/* The clock handed in. */
lab_clock *timers_clock(const timers *t);

#ifdef __cplusplus
}
#endif

#endif
