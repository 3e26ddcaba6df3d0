/* channel.h - x1: a queue with two ends, at both of which coroutines wait.
 *
 * Many may send, many may receive. Items come out in the order in which they went in, each of them once.
 * The channel has room for `capacity` items: who sends to a full one waits, and so cannot run ahead of
 * those who receive (back-pressure). With capacity 0 there is no room at all: an item goes from hand to
 * hand, when a sender and a receiver meet (rendezvous).
 *
 * Closing says that nothing more will come: what is in the channel can still be received. To wait for
 * several channels at a time, see when_any. All functions may be called by any thread.
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#include "lock.h"
#include "waiters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct channel {
    struct lock lock; /* of all below */
    bool closed;
    intptr_t *slots; /* a ring */
    size_t capacity;
    size_t first; /* index of the oldest item */
    size_t count;
    waiters senders;   /* there are some only if it is full, */
    waiters receivers; /* and these only if it is empty */
} channel;

/* An open, empty channel with room for `capacity` items in `slots`. The memory of both is the caller's.
 * Capacity 0: slots may be NULL. */
void channel_init(channel *c, intptr_t *slots, size_t capacity);

/* Wakes whoever still waits (the value of the await is -ECANCELED). Nobody may use it afterwards. Items that
 * are left in it are left in slots. */
void channel_destroy(channel *c);

/* Awaiter: sends `item`. The value is 0 when it is in the channel, or has been received; or a negative
 * errno, and then nobody will ever receive it:
 *   -EPIPE      the channel is closed, or was closed while it waited
 *   -EINVAL     it has to wait, and has no executor that could wake it
 *   -ECANCELED  the channel was destroyed, or the coroutine resumed by hand */
awaiter channel_send(channel *c, intptr_t item);

/* Awaiter: receives into *item, which must live as long as the await does: in the frame. The value is 0,
 * or a negative errno, and then *item is as it was:
 *   -EPIPE      the channel is closed, and empty
 *   -EINVAL     it has to wait, and has no executor that could wake it
 *   -ECANCELED  the channel was destroyed, or the coroutine resumed by hand
 * An item that was handed over to a coroutine that is destroyed before it went on, is lost with it. */
awaiter channel_receive(channel *c, intptr_t *item);

/* Nothing can be sent any more. Who waits to send, or to receive, gets -EPIPE.
 *   -EPIPE  it was closed before */
int channel_close(channel *c);

#ifdef __cplusplus
}
#endif

#endif
