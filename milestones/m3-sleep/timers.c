/* timers.c - milestone 3: yours to write. README.md goes step by step; timers.h says what each must
 * do.
 */
#include "timers.h"

#include "not_implemented.h"

struct timers {
    driver driver; /* first, so that a driver * is a timers * */
    lab_clock *clock;
    /* yours: the heap of deadlines, ... */
};

/* ---- Step 1.1: timers that hold nobody ----------------------------------- */

timers *timers_create(lab_clock *clock)
{
    (void)clock;
    not_implemented();
}

void timers_destroy(timers *t)
{
    (void)t;
    not_implemented();
}

driver *timers_driver(timers *t)
{
    (void)t;
    not_implemented();
}

lab_clock *timers_clock(const timers *t)
{
    (void)t;
    not_implemented();
}

size_t timers_count(const timers *t)
{
    (void)t;
    not_implemented();
}

/* ---- Step 1.2: a sleep that is over before it begins --------------------- */

awaiter sleep_until(timers *t, int64_t deadline)
{
    (void)t;
    (void)deadline;
    not_implemented();
}

awaiter sleep_for(timers *t, int64_t duration)
{
    (void)t;
    (void)duration;
    not_implemented();
}

/* ---- Step 1.4: waking; then all steps change what is in it --------------- */

int64_t timers_next_deadline(const timers *t)
{
    (void)t;
    not_implemented();
}

size_t timers_expire(timers *t)
{
    (void)t;
    not_implemented();
}
