/* actors.h - coroutines of a line or two, and what comes of their awaits. */
#ifndef ACTORS_H
#define ACTORS_H

#include "channel.h"
#include "mutex.h"
#include "sync_lab.h"

/* What came of an await. */
struct outcome {
    bool over;
    intptr_t value;
    co_error error; /* code 0: nothing was thrown */
    int64_t time;   /* when the coroutine went on */
};

/* A task that awaits `a`, notes what comes of it, and traces its name: "A"; "A:EPIPE" for a negative errno, or
 * for an error with such a code. It copies the name. `o` NULL: nobody wants to know. */
task *awaits(struct sync_lab *lab, const char *name, awaiter a, struct outcome *o);

/* The await is over, with this value, and has thrown nothing; or it is not over. */
void expect_outcome(const char *what, const struct outcome *o, intptr_t value);
void expect_waiting(const char *what, const struct outcome *o);

/* A task that sleeps for `before`, locks the mutex, traces its name, sleeps for `during`, and unlocks. */
task *holder(struct sync_lab *lab, const char *name, mutex *m, int64_t before, int64_t during);

/* A task that sleeps for `duration` and traces its name. */
task *sleeper(struct sync_lab *lab, const char *name, int64_t duration);

/* A task that sleeps for `duration`, traces its name, and returns `value`; or throws `code`, if that is not 0. */
task *worker(struct sync_lab *lab, const char *name, int64_t duration, intptr_t value, int code);

/* Tasks that send first, first + 1, ... (`count` of them), and trace "A!" when that is done; that receive until
 * the channel is closed, and trace each item: "A:7", in the end "A:closed". */
task *sender(const char *name, channel *c, intptr_t first, int count);
task *receiver(const char *name, channel *c);

#endif
