/* joining.c - optional lab x2, steps 5 and 6: yours to write; see thread_pool.h, and pool.h. */
#include "pool.h"

#include "not_implemented.h"

/* ---- Step 5.2: tasks come in --------------------------------------------- */

void joining_init(strand *s, bool pools)
{
    (void)s;
    (void)pools;
    not_implemented();
}

bool joining_is_pools(strand *s)
{
    (void)s;
    not_implemented();
}

void joining_end(strand *s)
{
    (void)s;
    not_implemented();
}

/* ---- Step 6.1: a thread waits -------------------------------------------- */

int thread_pool_block_on(thread_pool *pool, task *t, intptr_t *value)
{
    (void)pool;
    (void)t;
    (void)value;
    not_implemented();
}

/* ---- Step 6.2: a coroutine waits ----------------------------------------- */

awaiter thread_pool_join(task *t)
{
    (void)t;
    not_implemented();
}

/* ---- Step 6.5: nobody waits ---------------------------------------------- */

int thread_pool_detach(task *t)
{
    (void)t;
    not_implemented();
}
