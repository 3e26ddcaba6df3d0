/* gate.h - something for a coroutine of a test to wait for: closed until the test opens it. */
#ifndef GATE_H
#define GATE_H

#include "task.h"

struct gate {
    awaiter *waiting;   /* who waits; NULL: nobody */
    unsigned cancelled; /* how often await_cancel was called */
    bool was_waiting;   /* at the last await_cancel, the wait was not over */
};

/* Waits until the gate is opened; the value is what it was opened with. One coroutine at a time. */
awaiter gate_wait(struct gate *gate);
/* Ends the wait. Somebody must be waiting. */
void gate_open(struct gate *gate, intptr_t value);

#endif
