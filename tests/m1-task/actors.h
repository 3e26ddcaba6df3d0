/* actors.h - the coroutines of these tests. Each keeps a tally and tells in the trace what it does. */
#ifndef ACTORS_H
#define ACTORS_H

#include "gate.h"

/* What happened to one coroutine; outlives it. */
struct tally {
    unsigned resumed;  /* how often its body was entered */
    unsigned released; /* how often its frame was released */
};

struct actor {
    task task;
    struct tally *tally;
    const char *name;
    int steps; /* how often it suspends before its end */
    int i;
    intptr_t value;    /* what it returns, */
    int code;          /* or, unless 0, throws */
    task *child;       /* what it awaits */
    struct gate *gate; /* where it waits */
    co_error error;
};

/* Suspends `steps` times (resumed by hand) and returns `value`. Trace, with name "a" and two steps:
 * "a0 a1 a-end". */
task *stepper(const char *name, struct tally *tally, int steps, intptr_t value);
/* The same, but throws `code`, "thrown by a test", at the end. */
task *thrower(const char *name, struct tally *tally, int steps, int code);
/* The source line of that CO_THROW. */
int thrower_line(void);
/* Awaits `child` and returns its value. Trace: "a-awaits a-got-42". */
task *parent(const char *name, struct tally *tally, task *child);
/* The same, but catches what the child throws, and returns its code. Trace: "a-awaits a-caught-7". */
task *catcher(const char *name, struct tally *tally, task *child);
/* Waits at `gate` and returns what that was opened with. Trace: "a-waits a-end". */
task *gate_waiter(const char *name, struct tally *tally, struct gate *gate);

/* Allocates the frame of another coroutine of a test, with that body; ends the test if there is no
 * memory. */
struct actor *actor_create(const char *name, struct tally *tally, void (*body)(co_handle));

#endif
