/* strand.c - optional lab x2, step 4: yours to write; see strand.h. */
#include "pool.h"

#include "not_implemented.h"

/* ---- Step 4.1: two bits -------------------------------------------------- */

void strand_init(strand *s, thread_pool *pool, task *root)
{
    (void)s;
    (void)pool;
    (void)root;
    not_implemented();
}

bool strand_wake(strand *s, co_handle turn)
{
    (void)s;
    (void)turn;
    not_implemented();
}

co_handle strand_begin(strand *s)
{
    (void)s;
    not_implemented();
}

bool strand_end(strand *s)
{
    (void)s;
    not_implemented();
}

/* ---- Step 4.2: whose executor -------------------------------------------- */

strand *strand_of(executor *e)
{
    (void)e;
    not_implemented();
}
