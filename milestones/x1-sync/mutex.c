/* mutex.c - optional lab x1: yours to write. README.md goes step by step; mutex.h says what
 * each must do. */
#include "mutex.h"

#include "claim.h"
#include "not_implemented.h"

/* ---- Step 1: a free mutex ------------------------------------------------ */

void mutex_init(mutex *m)
{
    (void)m;
    not_implemented();
}

void mutex_destroy(mutex *m)
{
    (void)m;
    not_implemented();
}

int mutex_try_lock(mutex *m, co_handle self)
{
    (void)m;
    (void)self;
    not_implemented();
}

int mutex_unlock(mutex *m, co_handle self)
{
    (void)m;
    (void)self;
    not_implemented();
}

awaiter mutex_lock(mutex *m)
{
    (void)m;
    not_implemented();
}

/* ---- Step 4: a guard ----------------------------------------------------- */

awaiter mutex_guard_lock(mutex_guard *g, mutex *m)
{
    (void)g;
    (void)m;
    not_implemented();
}

void mutex_guard_release(mutex_guard *g)
{
    (void)g;
    not_implemented();
}
