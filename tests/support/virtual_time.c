/* virtual_time.c - linker wraps of epoll_wait: time-outs are noted, and on virtual time nobody sleeps. */
#include "harness.h"

#include "clock.h"

#include <limits.h>
#include <signal.h>
#include <sys/epoll.h>

enum {
    NOTED = 65536,      /* time-outs that are kept */
    EMPTY_WAITS = 1000, /* in a row, with time-out 0: more of them is spinning, */
    BUSY_WAITS = 300000 /* and so are these, that found events, while no time passes */
};

int __real_epoll_wait(int epoll, struct epoll_event *events, int size, int timeout);
int __real_epoll_pwait(int epoll, struct epoll_event *events, int size, int timeout,
                       const sigset_t *mask);
int __real_epoll_pwait2(int epoll, struct epoll_event *events, int size,
                        const struct timespec *timeout, const sigset_t *mask);

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int size, int timeout);
int __wrap_epoll_pwait(int epoll, struct epoll_event *events, int size, int timeout,
                       const sigset_t *mask);
int __wrap_epoll_pwait2(int epoll, struct epoll_event *events, int size,
                        const struct timespec *timeout, const sigset_t *mask);

static struct virtual_clock *virtual_time; /* NULL: real time */
static int timeouts[NOTED];
static unsigned long waits;
static int empty_waits;
static int busy_waits;

void use_virtual_time(struct virtual_clock *v)
{
    virtual_time = v;
    empty_waits = busy_waits = 0;
}

int epoll_timeout(unsigned long n)
{
    if (n >= waits || n >= NOTED) {
        fail_test("epoll_wait was called %lu times only, not %lu", waits, n + 1);
    }
    return timeouts[n];
}

static void note_timeout(int timeout)
{
    if (waits < NOTED) {
        timeouts[waits] = timeout;
    }
    waits++;
}

/* Nothing came: what the sleep would have been. `duration` in nanoseconds; negative: for ever. */
static void pass_time(int64_t duration)
{
    if (duration < 0) {
        fail_test("would block for ever: epoll_wait without a time-out, and nothing can happen any "
                  "more");
    }
    if (duration == 0) {
        if (++empty_waits > EMPTY_WAITS) {
            fail_test("spins: more than %d calls of epoll_wait in a row with time-out 0 found "
                      "nothing",
                      EMPTY_WAITS);
        }
        return;
    }
    empty_waits = busy_waits = 0;
    virtual_time->sleeps++;
    if (__builtin_add_overflow(virtual_time->time, duration, &virtual_time->time)) {
        virtual_time->time = INT64_MAX;
    }
}

/* One poll with time-out 0 stands for the whole wait. */
static int virtual_wait(int epoll, struct epoll_event *events, int size, int64_t duration,
                        const sigset_t *mask)
{
    int count = __real_epoll_pwait(epoll, events, size, 0, mask);

    if (count == 0) {
        pass_time(duration);
    } else {
        empty_waits = 0;
        if (++busy_waits > BUSY_WAITS) {
            fail_test("spins: epoll_wait found events %d times, and nothing came of it: no time "
                      "has passed",
                      BUSY_WAITS);
        }
    }
    return count;
}

int __wrap_epoll_pwait(int epoll, struct epoll_event *events, int size, int timeout,
                       const sigset_t *mask)
{
    if (calls_watched()) {
        note_timeout(timeout);
    }
    if (call_fails(CALL_EPOLL_WAIT)) {
        return -1;
    }
    if (virtual_time == NULL || !calls_watched()) {
        return __real_epoll_pwait(epoll, events, size, timeout, mask);
    }
    return virtual_wait(epoll, events, size, timeout < 0 ? -1 : MILLISECONDS(timeout), mask);
}

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int size, int timeout)
{
    return __wrap_epoll_pwait(epoll, events, size, timeout, NULL);
}

/* Nanoseconds as the milliseconds of the other two: rounded up, and no more than fits. */
static int to_milliseconds(int64_t duration)
{
    int64_t rounded = duration / MILLISECONDS(1) + (duration % MILLISECONDS(1) > 0);

    return duration < 0 ? -1 : rounded > INT_MAX ? INT_MAX : (int)rounded;
}

int __wrap_epoll_pwait2(int epoll, struct epoll_event *events, int size,
                        const struct timespec *timeout, const sigset_t *mask)
{
    int64_t duration = timeout == NULL ? -1 : SECONDS(timeout->tv_sec) + timeout->tv_nsec;

    if (calls_watched()) {
        note_timeout(to_milliseconds(duration));
    }
    if (call_fails(CALL_EPOLL_WAIT)) {
        return -1;
    }
    if (virtual_time == NULL || !calls_watched()) {
        return __real_epoll_pwait2(epoll, events, size, timeout, mask);
    }
    return virtual_wait(epoll, events, size, duration, mask);
}
