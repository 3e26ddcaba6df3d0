/* leaving.c - optional lab x2, steps 4 and 9: yours to write; see pool.h. */
#include "pool.h"

#include "not_implemented.h"

/* ---- Step 9.2: those that wait for ever ---------------------------------- */

void strand_forget(executor *self, co_handle handle)
{
    (void)self;
    (void)handle;
    not_implemented();
}

int leave_all(thread_pool *pool)
{
    (void)pool;
    not_implemented();
}

/* ---- Step 9.3: those that are not the pool's ----------------------------- */

void leave_to_the_pool(strand *s)
{
    (void)s;
    not_implemented();
}
