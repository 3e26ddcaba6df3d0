/* worker.c - optional lab x2, step 5: yours to write; see pool.h. */
#include "pool.h"

#include "not_implemented.h"

/* ---- Step 5.1: threads with nothing to do -------------------------------- */

thread_pool *pool_of_thread(void)
{
    not_implemented();
}

void set_pool_of_thread(thread_pool *pool, struct worker *worker)
{
    (void)pool;
    (void)worker;
    not_implemented();
}

void *worker_main(void *argument)
{
    (void)argument;
    not_implemented();
}

bool pool_has_ready(void *argument)
{
    (void)argument;
    not_implemented();
}

/* ---- Step 5.2: tasks come in --------------------------------------------- */

bool pool_runs_coroutine_here(const thread_pool *pool)
{
    (void)pool;
    not_implemented();
}

struct members *pool_members(thread_pool *pool)
{
    (void)pool;
    not_implemented();
}

void pool_enqueue(thread_pool *pool, strand *s)
{
    (void)pool;
    (void)s;
    not_implemented();
}

/* ---- Step 5.4: yielding -------------------------------------------------- */

thread_pool *pool_of_awaiter(const awaiter *a)
{
    (void)a;
    not_implemented();
}

awaiter thread_pool_yield(thread_pool *pool)
{
    (void)pool;
    not_implemented();
}
