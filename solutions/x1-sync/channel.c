/* channel.c - x1, reference: a queue at both ends of which coroutines wait. */
#include "channel.h"

#include "claim.h"

#include <errno.h>

void channel_init(channel *c, intptr_t *slots, size_t capacity)
{
    *c = (channel){.slots = slots, .capacity = capacity};
    lock_init(&c->lock);
}

/* Under the lock. Each has its own order, and they do not meet any more: which goes first is all the same. */
static void claim_both_ends(channel *c, waiters *woken)
{
    claim_all(&c->receivers, woken);
    claim_all(&c->senders, woken);
}

void channel_destroy(channel *c)
{
    waiters woken = {NULL, NULL};

    lock_acquire(&c->lock);
    claim_both_ends(c, &woken);
    lock_release(&c->lock);
    lock_destroy(&c->lock);
    waiters_wake(&woken, -ECANCELED);
}

int channel_close(channel *c)
{
    waiters woken = {NULL, NULL};
    bool was_open;

    lock_acquire(&c->lock);
    was_open = !c->closed;
    c->closed = true;
    claim_both_ends(c, &woken);
    lock_release(&c->lock);
    waiters_wake(&woken, -EPIPE);
    return was_open ? 0 : -EPIPE;
}

/* ---- The ring ------------------------------------------------------------ */

static void put(channel *c, intptr_t item)
{
    c->slots[(c->first + c->count) % c->capacity] = item;
    c->count++;
}

static intptr_t take(channel *c)
{
    intptr_t item = c->slots[c->first];

    c->first = (c->first + 1) % c->capacity;
    c->count--;
    return item;
}

/* ---- The awaiters: a->source is the channel while it waits; a->result a sender's item, and in the
 * end what came of it; a->buffer where a receiver's goes --------------------------------------- */

/* Under the lock. The await ends with `result` without waiting, or waits in the list. */
static bool settle(awaiter *a, waiters *list, bool is_done, intptr_t result)
{
    if (is_done || a->executor == NULL) {
        a->source = NULL;
        a->result = is_done ? result : -EINVAL;
        return false;
    }
    waiters_push(list, a);
    return true;
}

static bool send_suspend(awaiter *a, co_handle waiter)
{
    channel *c = a->source;
    awaiter *receiver = NULL;
    bool is_done = true, waits;

    (void)waiter;
    lock_acquire(&c->lock);
    if (c->closed) {
        waits = settle(a, &c->senders, true, -EPIPE);
        lock_release(&c->lock);
        return waits;
    }
    receiver = claim_partner(&c->receivers, a);
    if (receiver != NULL) {
        *(intptr_t *)receiver->buffer = a->result;
    } else if (c->count < c->capacity && claim(a)) {
        put(c, a->result);
    } else {
        is_done = false;
    }
    waits = settle(a, &c->senders, is_done, 0);
    lock_release(&c->lock);
    if (receiver != NULL) {
        co_wake(receiver, 0);
    }
    return waits;
}

/* Under the lock. The oldest item is in the ring, and the next sender's takes its place at the end; or
 * there is no ring, and it is in the hand of a sender. *sender: whom to wake. */
static bool receive(channel *c, awaiter *a, awaiter **sender)
{
    intptr_t *item = a->buffer;

    if (c->count > 0) {
        if (!claim(a)) {
            return false;
        }
        *item = take(c);
        *sender = claim_first(&c->senders);
        if (*sender != NULL) {
            put(c, (*sender)->result);
        }
        return true;
    }
    *sender = claim_partner(&c->senders, a);
    if (*sender != NULL) {
        *item = (*sender)->result;
    }
    return *sender != NULL;
}

static bool receive_suspend(awaiter *a, co_handle waiter)
{
    channel *c = a->source;
    awaiter *sender = NULL;
    bool waits;

    (void)waiter;
    lock_acquire(&c->lock);
    if (receive(c, a, &sender)) {
        waits = settle(a, &c->receivers, true, 0);
    } else {
        waits = settle(a, &c->receivers, c->closed && c->count == 0, -EPIPE);
    }
    lock_release(&c->lock);
    if (sender != NULL) {
        co_wake(sender, 0);
    }
    return waits;
}

static intptr_t resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void stop_waiting(awaiter *a, channel *c, waiters *list)
{
    lock_acquire(&c->lock);
    waiters_remove(list, a);
    lock_release(&c->lock);
    a->source = NULL;
    a->result = -ECANCELED;
}

static void send_cancel(awaiter *a)
{
    channel *c = a->source;

    if (c != NULL) {
        stop_waiting(a, c, &c->senders);
    }
}

static void receive_cancel(awaiter *a)
{
    channel *c = a->source;

    if (c != NULL) {
        stop_waiting(a, c, &c->receivers);
    }
}

static const awaiter_type send_type = {
    "channel (to send)", co_always_ready, send_suspend, resume, send_cancel, NULL};
static const awaiter_type receive_type = {
    "channel (to receive)", co_always_ready, receive_suspend, resume, receive_cancel, NULL};

awaiter channel_send(channel *c, intptr_t item)
{
    return (awaiter){.type = &send_type, .source = c, .result = item};
}

awaiter channel_receive(channel *c, intptr_t *item)
{
    return (awaiter){.type = &receive_type, .source = c, .buffer = item};
}
