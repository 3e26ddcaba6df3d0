/* moment.c - processor time of another process by its clock: in nanoseconds, all its threads. */
#include "moment.h"

#include "latency.h"
#include "resident.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static clockid_t server_clock;
static char server_pid[16];

static int64_t nanoseconds_of(clockid_t clock)
{
    struct timespec t = {0};

    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t monotonic_ns(void)
{
    return nanoseconds_of(CLOCK_MONOTONIC);
}

int moment_watch(pid_t server)
{
    (void)snprintf(server_pid, sizeof server_pid, "%d", (int)server);
    return -clock_getcpuclockid(server, &server_clock);
}

struct moment moment_now(uint64_t messages)
{
    return (struct moment){
        .time = monotonic_ns(),
        .server = nanoseconds_of(server_clock),
        .own = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID),
        .messages = messages,
    };
}

long moment_resident(void)
{
    return resident_bytes(server_pid);
}

void moment_print(const struct moment *from, const struct moment *to)
{
    (void)printf("messages %" PRIu64 "\n", to->messages - from->messages);
    (void)printf("time_ns %" PRId64 "\n", to->time - from->time);
    (void)printf("server_ns %" PRId64 "\n", to->server - from->server);
    (void)printf("load_ns %" PRId64 "\n", to->own - from->own);
    (void)printf("p50_ns %" PRId64 "\n", latency_percentile(50));
    (void)printf("p99_ns %" PRId64 "\n", latency_percentile(99));
}
