/* timeout.h - x1: waiting, but not for ever.
 *
 *     CO_AWAIT(self, self->got, with_timeout(&self->timeout, mutex_lock(self->m),
 *                                            sleep_for(self->timers, MILLISECONDS(50))));
 */
#ifndef TIMEOUT_H
#define TIMEOUT_H

#include "when.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What it needs while it waits: in the frame. Nothing of it needs to be set. */
typedef struct timeout {
    struct when when;        /* first */
    when_part parts[2];      /* what is awaited, and the sleep */
    const awaiter_type *any; /* of the await of both */
} timeout;

/* Awaiter: awaits `what`, but gives up when `sleep` is over, an awaiter such as sleep_for or sleep_until. What
 * loses is withdrawn: no timer is left behind, and what was not waited for to the end has not
 * happened. The value is that of `what`, and what it throws is thrown; or
 *   -ETIMEDOUT  it took too long
 *   else        the negative value with which the sleep failed, or as when_any */
awaiter with_timeout(timeout *t, awaiter what, awaiter sleep);

#ifdef __cplusplus
}
#endif

#endif
