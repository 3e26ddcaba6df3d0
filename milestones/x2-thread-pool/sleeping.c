/* sleeping.c - optional lab x2, step 7: yours to write; see thread_pool.h, and pool.h. */
#include "pool.h"

#include "not_implemented.h"

/* ---- Step 7.1: the thread that waits for time ---------------------------- */

int sleeping_start(struct sleeping *s)
{
    (void)s;
    not_implemented();
}

void sleeping_stop(struct sleeping *s)
{
    (void)s;
    not_implemented();
}

/* ---- Step 7.2: the awaiter, under a lock --------------------------------- */

awaiter thread_pool_sleep_for(thread_pool *pool, int64_t duration)
{
    (void)pool;
    (void)duration;
    not_implemented();
}

awaiter thread_pool_sleep_until(thread_pool *pool, int64_t deadline)
{
    (void)pool;
    (void)deadline;
    not_implemented();
}
