/* event_loop.c - a variant of milestone 4: an operation is tried when epoll has said that it may be.
 *
 * Each descriptor is registered at its first use, edge-triggered, for both sides. An event sets the
 * side's flag, EAGAIN clears it; only while the flag is set, operations are tried. So the first one on a
 * descriptor always waits for its event. What epoll refuses (regular files) is ready for good. A
 * connect begins before it waits, for without that there would be no event.
 */
#include "event_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { BUCKETS = 256, EVENTS = 100, TURN = 16 };

enum kind { READ, WRITE, READABLE, WRITABLE, ACCEPT, CONNECT, KINDS };

/* One side of a descriptor. */
struct side {
    bool is_ready;
    awaiter *oldest, *newest; /* who waits for it */
};

struct source {
    int fd;
    bool is_socket;
    bool is_polled; /* registered with epoll; else always ready */
    struct side in, out;
    struct source *next; /* in its bucket */
};

struct event_loop {
    driver driver; /* first */
    scheduler *scheduler;
    timers *timers;
    int epoll, alarm;                /* alarm: an eventfd */
    atomic_flag runs_on;             /* cleared by event_loop_stop */
    bool is_running;                 /* in event_loop_run */
    struct source *buckets[BUCKETS]; /* by descriptor, modulo */
    size_t waiters;
    co_handle last;   /* who had the last operation, without a wait, */
    unsigned in_turn; /* and how many in a row */
};

static const awaiter_type types[KINDS];

static enum kind kind_of(const awaiter *a)
{
    return (enum kind)(a->type - types);
}

static struct side *side_of(struct source *s, const awaiter *a)
{
    enum kind kind = kind_of(a);

    return kind == WRITE || kind == WRITABLE || kind == CONNECT ? &s->out : &s->in;
}

/* ---- Trying ----------------------------------------------------------------- */

static ssize_t check(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    int n = poll(&p, 1, 0);

    errno = n == 0 ? EAGAIN : errno;
    return n > 0 ? 0 : -1;
}

static ssize_t call(const struct source *s, const awaiter *a)
{
    switch (kind_of(a)) {
    case READ:
        return read(s->fd, a->buffer, a->length);
    case WRITE:
        return s->is_socket ? send(s->fd, a->buffer, a->length, MSG_NOSIGNAL)
                            : write(s->fd, a->buffer, a->length);
    case ACCEPT:
        return accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    case CONNECT:
        return connect(s->fd, a->buffer, (socklen_t)a->length);
    case READABLE:
        return check(s->fd, POLLIN);
    case WRITABLE:
        return check(s->fd, POLLOUT);
    case KINDS:
    default:
        errno = EINVAL;
        return -1;
    }
}

/* True: *result is what came of it. False: the side is not ready after all. */
static bool succeeds_or_fails(struct source *s, const awaiter *a, intptr_t *result)
{
    ssize_t n;

    do {
        n = call(s, a);
    } while (n < 0 && errno == EINTR);
    *result = n >= 0 ? n : -errno;
    if (n < 0 && (errno == EAGAIN || errno == EINPROGRESS || errno == EALREADY)) {
        side_of(s, a)->is_ready = false;
        return false;
    }
    return true;
}

/* ---- Waiting ------------------------------------------------------------------ */

static void join(event_loop *loop, struct side *side, awaiter *a)
{
    a->next = NULL;
    if (side->newest != NULL) {
        side->newest->next = a;
    } else {
        side->oldest = a;
    }
    side->newest = a;
    loop->waiters++;
}

static void part(event_loop *loop, struct side *side, const awaiter *a)
{
    awaiter **link = &side->oldest;

    side->newest = NULL; /* found again on the way */
    while (*link != NULL) {
        if (*link == a) {
            *link = a->next;
        } else {
            side->newest = *link;
            link = &(*link)->next;
        }
    }
    loop->waiters--;
}

static void release_oldest(event_loop *loop, struct side *side, intptr_t result)
{
    awaiter *a = side->oldest;

    part(loop, side, a);
    co_wake(a, result);
}

static void release_all(event_loop *loop, struct source *s, intptr_t result)
{
    while (s->in.oldest != NULL) {
        release_oldest(loop, &s->in, result);
    }
    while (s->out.oldest != NULL) {
        release_oldest(loop, &s->out, result);
    }
}

/* An event has come: whoever waits for that side may try. */
static void become_ready(event_loop *loop, struct source *s, struct side *side)
{
    intptr_t result;

    side->is_ready = true;
    while (side->oldest != NULL && succeeds_or_fails(s, side->oldest, &result)) {
        release_oldest(loop, side, result);
    }
}

/* ---- Sources -------------------------------------------------------------------- */

static struct source **link_to(event_loop *loop, int fd)
{
    struct source **link = &loop->buckets[(unsigned)fd % BUCKETS];

    while (*link != NULL && (*link)->fd != fd) {
        link = &(*link)->next;
    }
    return link;
}

static int set_non_blocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

/* EPERM is what epoll says of a file that never blocks. */
static int poll_source(event_loop *loop, struct source *s)
{
    struct epoll_event event = {
        .events = EPOLLET | EPOLLIN | EPOLLOUT | EPOLLRDHUP,
        .data.ptr = s,
    };

    if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, s->fd, &event) == 0) {
        s->is_polled = true;
        return 0;
    }
    if (errno != EPERM) {
        return -errno;
    }
    s->in.is_ready = true;
    s->out.is_ready = true;
    return 0;
}

/* Stores the source of `fd`, which is made if it is not there yet. 0, or a negative errno. */
static int find_source(event_loop *loop, int fd, struct source **found)
{
    struct source **link = link_to(loop, fd);
    int error, type;
    socklen_t size = sizeof type;

    if (*link == NULL) {
        struct source *s;

        error = set_non_blocking(fd);
        if (error != 0) {
            return error;
        }
        s = calloc(1, sizeof *s);
        if (s == NULL) {
            return -ENOMEM;
        }
        s->fd = fd;
        s->is_socket = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
        error = poll_source(loop, s);
        if (error != 0) {
            free(s);
            return error;
        }
        *link = s;
    }
    *found = *link;
    return 0;
}

static void forget_source(event_loop *loop, struct source **link)
{
    struct source *s = *link;

    release_all(loop, s, -ECANCELED);
    if (s->is_polled) {
        (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, s->fd, NULL);
    }
    *link = s->next;
    free(s);
}

/* ---- The awaiters: a->result is the descriptor; once a->source is NULL, the value ---------------- */

static bool conclude(awaiter *a, intptr_t result)
{
    a->source = NULL;
    a->result = result;
    return true;
}

static bool is_somebody_elses_turn(event_loop *loop, const awaiter *a)
{
    if (loop->last != a->waiter) {
        loop->last = a->waiter;
        loop->in_turn = 0;
    }
    if (a->executor == NULL || ++loop->in_turn < TURN) {
        return false;
    }
    loop->in_turn = 0;
    return true;
}

static bool io_ready(awaiter *a)
{
    event_loop *loop = a->source;
    struct source *s;
    const struct side *side;
    intptr_t result;
    int error = find_source(loop, (int)a->result, &s);

    if (error != 0) {
        return conclude(a, error);
    }
    side = side_of(s, a);
    if (side->oldest == NULL && (side->is_ready || kind_of(a) == CONNECT) &&
        succeeds_or_fails(s, a, &result)) {
        (void)conclude(a, result);
        return !is_somebody_elses_turn(loop, a);
    }
    return a->executor == NULL && conclude(a, -EINVAL);
}

static bool io_suspend(awaiter *a, co_handle waiter)
{
    event_loop *loop = a->source;

    if (loop != NULL) {
        struct source *s = *link_to(loop, (int)a->result);

        join(loop, side_of(s, a), a);
        loop->last = NULL;
    } else {
        a->executor->schedule(a->executor, waiter);
    }
    return true;
}

static intptr_t io_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

/* A new socket; what is known of its number was closed behind the loop's back. */
static intptr_t accept_resume(awaiter *a, co_error *thrown)
{
    struct source **link = a->result >= 0 ? link_to(a->buffer, (int)a->result) : NULL;

    if (link != NULL && *link != NULL) {
        forget_source(a->buffer, link);
    }
    return io_resume(a, thrown);
}

static void io_cancel(awaiter *a)
{
    event_loop *loop = a->source;

    if (loop != NULL) {
        part(loop, side_of(*link_to(loop, (int)a->result), a), a);
        (void)conclude(a, -ECANCELED);
    } else if (kind_of(a) == ACCEPT && a->result >= 0) {
        (void)close((int)a->result);
    }
}

static void io_describe(const awaiter *a, char *text, size_t size)
{
    if (a->source != NULL) {
        (void)snprintf(text, size, "%s(fd %d)", a->type->name, (int)a->result);
    } else {
        (void)snprintf(text, size, "%s, which gave %d", a->type->name, (int)a->result);
    }
}

static const awaiter_type types[KINDS] = {
    {"read", io_ready, io_suspend, io_resume, io_cancel, io_describe},
    {"write", io_ready, io_suspend, io_resume, io_cancel, io_describe},
    {"readable", io_ready, io_suspend, io_resume, io_cancel, io_describe},
    {"writable", io_ready, io_suspend, io_resume, io_cancel, io_describe},
    {"accept", io_ready, io_suspend, accept_resume, io_cancel, io_describe},
    {"connect", io_ready, io_suspend, io_resume, io_cancel, io_describe},
};

static awaiter io_awaiter(event_loop *loop, enum kind kind, int fd)
{
    return (awaiter){.type = &types[kind], .source = loop, .result = fd};
}

awaiter event_loop_read(event_loop *loop, int fd, void *buffer, size_t length)
{
    awaiter a = io_awaiter(loop, READ, fd);

    a.buffer = buffer;
    a.length = length;
    return a;
}

awaiter event_loop_write(event_loop *loop, int fd, const void *buffer, size_t length)
{
    awaiter a = io_awaiter(loop, WRITE, fd);

    a.buffer = (void *)(uintptr_t)buffer;
    a.length = length;
    return a;
}

awaiter event_loop_readable(event_loop *loop, int fd)
{
    return io_awaiter(loop, READABLE, fd);
}

awaiter event_loop_writable(event_loop *loop, int fd)
{
    return io_awaiter(loop, WRITABLE, fd);
}

awaiter event_loop_accept(event_loop *loop, int listener)
{
    awaiter a = io_awaiter(loop, ACCEPT, listener);

    a.buffer = loop;
    return a;
}

awaiter event_loop_connect(event_loop *loop, int fd, const struct sockaddr *address,
                           socklen_t length)
{
    awaiter a = io_awaiter(loop, CONNECT, fd);

    a.buffer = (void *)(uintptr_t)address;
    a.length = length;
    return a;
}

/* ---- Ending a wait ----------------------------------------------------------------- */

int event_loop_cancel(event_loop *loop, int fd)
{
    struct source *s;

    if (fd < 0) {
        return -EBADF;
    }
    s = *link_to(loop, fd);
    if (s != NULL) {
        release_all(loop, s, -ECANCELED);
    }
    return 0;
}

int event_loop_close(event_loop *loop, int fd)
{
    struct source **link = link_to(loop, fd);

    if (*link != NULL) {
        forget_source(loop, link);
    }
    return close(fd) == 0 || errno == EINTR ? 0 : -errno;
}

/* ---- The driver -------------------------------------------------------------------- */

/* For epoll_wait: milliseconds, rounded up; -1: nobody sleeps. */
static int longest_wait(const event_loop *loop)
{
    int64_t now, next, ms;

    if (loop->timers == NULL || timers_count(loop->timers) == 0) {
        return -1;
    }
    now = timers_clock(loop->timers)->now(timers_clock(loop->timers));
    next = timers_next_deadline(loop->timers);
    if (next <= now) {
        return 0;
    }
    ms = (int64_t)(((uint64_t)next - (uint64_t)now - 1) / MILLISECONDS(1)) + 1;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

static void dispatch(event_loop *loop, const struct epoll_event *event)
{
    struct source *s = event->data.ptr;
    uint64_t rings;

    if (s == NULL) {
        (void)!read(loop->alarm, &rings, sizeof rings);
        return;
    }
    if ((event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
        become_ready(loop, s, &s->in);
    }
    if ((event->events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
        become_ready(loop, s, &s->out);
    }
}

static int wait_for_events(event_loop *loop, int milliseconds)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(loop->epoll, events, EVENTS, milliseconds);

    if (n < 0 && errno != EINTR) {
        return -errno;
    }
    for (int i = 0; i < n; i++) {
        dispatch(loop, &events[i]);
    }
    return 0;
}

static bool loop_pending(driver *self)
{
    const event_loop *loop = (const event_loop *)self;

    return loop->waiters > 0 || (loop->timers != NULL && timers_count(loop->timers) > 0);
}

static bool is_stopped(event_loop *loop)
{
    return !atomic_flag_test_and_set(&loop->runs_on);
}

/* -ECANCELED: it was stopped. */
static int loop_poll(driver *self, bool may_block)
{
    event_loop *loop = (event_loop *)self;
    int result = wait_for_events(loop, may_block ? longest_wait(loop) : 0);

    if (loop->timers != NULL) {
        (void)timers_expire(loop->timers);
    }
    return result == 0 && is_stopped(loop) ? -ECANCELED : result;
}

/* ---- Running ------------------------------------------------------------------------ */

int event_loop_run(event_loop *loop)
{
    int result;

    if (loop->is_running) {
        return -EBUSY;
    }
    if (is_stopped(loop)) {
        return 0;
    }
    loop->is_running = true;
    result = scheduler_run(loop->scheduler);
    loop->is_running = false;
    if (result >= 0) {
        (void)is_stopped(loop); /* it ended by itself: a stop that came meanwhile is over, too */
    }
    return result == -ECANCELED ? 0 : result;
}

void event_loop_stop(event_loop *loop)
{
    uint64_t ring = 1;
    int saved = errno;

    atomic_flag_clear(&loop->runs_on);
    (void)!write(loop->alarm, &ring, sizeof ring);
    errno = saved;
}

/* ---- Creating and destroying ----------------------------------------------------------- */

static void free_loop(event_loop *loop)
{
    int saved = errno;

    if (loop->alarm >= 0) {
        (void)close(loop->alarm);
    }
    if (loop->epoll >= 0) {
        (void)close(loop->epoll);
    }
    free(loop);
    errno = saved;
}

static bool open_epoll(event_loop *loop)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};

    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll < 0) {
        return false;
    }
    loop->alarm = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return loop->alarm >= 0 && epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->alarm, &event) == 0;
}

event_loop *event_loop_create(scheduler *s, timers *t, unsigned options)
{
    event_loop *loop = NULL;

    if ((options & ~(unsigned)EVENT_LOOP_LEVEL_TRIGGERED) != 0) {
        errno = EINVAL;
    } else {
        loop = calloc(1, sizeof *loop);
    }
    if (loop == NULL) {
        return NULL;
    }
    loop->driver = (driver){.pending = loop_pending, .poll = loop_poll};
    loop->scheduler = s;
    loop->timers = t;
    loop->epoll = loop->alarm = -1;
    (void)atomic_flag_test_and_set(&loop->runs_on);
    if (!open_epoll(loop)) {
        free_loop(loop);
        return NULL;
    }
    scheduler_set_driver(s, &loop->driver);
    return loop;
}

void event_loop_destroy(event_loop *loop)
{
    if (loop == NULL) {
        return;
    }
    for (int i = 0; i < BUCKETS; i++) {
        while (loop->buckets[i] != NULL) {
            forget_source(loop, &loop->buckets[i]);
        }
    }
    free_loop(loop);
}

scheduler *event_loop_scheduler(const event_loop *loop)
{
    return loop->scheduler;
}

timers *event_loop_timers(const event_loop *loop)
{
    return loop->timers;
}
