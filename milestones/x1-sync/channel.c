/* channel.c - optional lab x1: yours to write. README.md goes step by step; channel.h says what
 * each must do. */
#include "channel.h"

#include "claim.h"
#include "not_implemented.h"

/* ---- Step 7: a channel --------------------------------------------------- */

void channel_init(channel *c, intptr_t *slots, size_t capacity)
{
    (void)c;
    (void)slots;
    (void)capacity;
    not_implemented();
}

void channel_destroy(channel *c)
{
    (void)c;
    not_implemented();
}

awaiter channel_send(channel *c, intptr_t item)
{
    (void)c;
    (void)item;
    not_implemented();
}

awaiter channel_receive(channel *c, intptr_t *item)
{
    (void)c;
    (void)item;
    not_implemented();
}

/* ---- Step 8: the end of a channel ---------------------------------------- */

int channel_close(channel *c)
{
    (void)c;
    not_implemented();
}
