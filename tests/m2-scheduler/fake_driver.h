/* fake_driver.h - a driver for tests: it opens gates when the scheduler polls it. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include "gate.h"
#include "scheduler.h"

enum { FAKE_GATES = 8 };

struct fake_driver {
    driver driver; /* first: hand out &d->driver */
    struct gate gates[FAKE_GATES];
    int count;         /* of gates that it serves, in order */
    int opened;        /* so many of them are open */
    unsigned patience; /* opens the next gate at every n-th poll that may not block; 0: never */
    unsigned polls;    /* how often it was polled */
    unsigned blocked;  /* in how many of those it might block */
    int result;        /* what a poll returns */
    bool tells;        /* writes "poll" or "block" to the trace */
};

/* Serves `count` gates. */
void fake_driver_init(struct fake_driver *d, int count);

#endif
