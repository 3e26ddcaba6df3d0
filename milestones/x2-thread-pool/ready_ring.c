/* ready_ring.c - optional lab x2, step 1: yours to write. README.md goes step by step; ready_ring.h
 * says what each function must do.
 */
#include "ready_ring.h"

#include "not_implemented.h"

/* ---- Step 1.1: one thread ------------------------------------------------ */

bool ready_ring_push(ready_ring *r, strand *s)
{
    (void)r;
    (void)s;
    not_implemented();
}

strand *ready_ring_take(ready_ring *r)
{
    (void)r;
    not_implemented();
}

size_t ready_ring_count(ready_ring *r)
{
    (void)r;
    not_implemented();
}

/* ---- Step 1.3: half of it ------------------------------------------------ */

strand *ready_ring_steal(ready_ring *from, ready_ring *to)
{
    (void)from;
    (void)to;
    not_implemented();
}
