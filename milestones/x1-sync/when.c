/* when.c - optional lab x1: yours to write. README.md goes step by step; when.h says what
 * each must do. */
#include "when.h"

#include "not_implemented.h"

/* ---- Step 9: all of several ---------------------------------------------- */

awaiter when_all(when *w, when_part *parts, size_t count)
{
    (void)w;
    (void)parts;
    (void)count;
    not_implemented();
}

/* ---- Step 10: the first of several --------------------------------------- */

awaiter when_any(when *w, when_part *parts, size_t count)
{
    (void)w;
    (void)parts;
    (void)count;
    not_implemented();
}
