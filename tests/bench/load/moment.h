/* moment.h - a look at both processes, the server's and this one, and what lies between two. */
#ifndef MOMENT_H
#define MOMENT_H

#include <stdint.h>
#include <sys/types.h>

struct moment {
    int64_t time;        /* nanoseconds of the monotonic clock, */
    int64_t server, own; /* and of processor time */
    uint64_t messages;   /* so far */
};

/* The server's process; call it first. 0 or a negative errno. */
int moment_watch(pid_t server);

struct moment moment_now(uint64_t messages);

/* Lines of `name number`: the differences, and the latencies noted meanwhile. */
void moment_print(const struct moment *from, const struct moment *to);

/* Bytes of the server in memory. Takes a while. */
long moment_resident(void);

int64_t monotonic_ns(void);

#endif
