/* parking.c - optional lab x2, step 3: yours to write; see parking.h. */
#include "parking.h"

#include "not_implemented.h"

/* ---- Step 3.1: sleep and wake -------------------------------------------- */

void parking_init(struct parking *p, size_t workers)
{
    (void)p;
    (void)workers;
    not_implemented();
}

void parking_destroy(struct parking *p)
{
    (void)p;
    not_implemented();
}

void sleeper_init(struct sleeper *s)
{
    (void)s;
    not_implemented();
}

void sleeper_destroy(struct sleeper *s)
{
    (void)s;
    not_implemented();
}

bool parking_sleep(struct parking *p, struct sleeper *self, parking_question *is_work_left,
                   void *pool)
{
    (void)p;
    (void)self;
    (void)is_work_left;
    (void)pool;
    not_implemented();
}

void parking_wake_one(struct parking *p)
{
    (void)p;
    not_implemented();
}

/* ---- Step 3.3: the end --------------------------------------------------- */

void parking_close(struct parking *p)
{
    (void)p;
    not_implemented();
}

void parking_drain(struct parking *p, parking_question *is_quiet, void *pool)
{
    (void)p;
    (void)is_quiet;
    (void)pool;
    not_implemented();
}
