/* event_loop.c - a variant of milestone 4: level-triggered, whatever the options say.
 *
 * epoll is told with EPOLL_CTL_MOD what is awaited, each time that this changes. Nothing needs to be
 * remembered of a descriptor but its waiters, for the kernel tells again what is still true. Two things
 * must not be left registered, or the loop would spin: a side for which nobody waits, and, since hang-ups
 * are told unasked, a descriptor that is broken.
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

enum { BATCH = 128, IN_A_ROW = 16 };

/* What an operation gives when the kernel says "not now". */
static const intptr_t NOT_NOW = INTPTR_MIN;

enum operation { READ, READABLE, ACCEPT, WRITE, WRITABLE, CONNECT };

struct line {
    awaiter *first, *last;
};

struct watch {
    struct line readers, writers;
    uint32_t events; /* that epoll is to tell */
    bool is_known;   /* it has been made non-blocking, */
    bool is_socket;  /* and this was found out */
    bool is_in_epoll;
};

struct event_loop {
    driver driver; /* first */
    scheduler *scheduler;
    timers *timers;
    int epoll;
    int bell; /* an eventfd, for event_loop_stop */
    atomic_bool stop;
    bool turning;          /* in event_loop_run */
    struct watch *watches; /* by descriptor */
    int watch_count;
    int waiting;  /* how many coroutines */
    co_handle at; /* who had the last operation without a wait, */
    int in_a_row; /* and how many it has had */
};

static const awaiter_type types[CONNECT + 1];

static enum operation operation_of(const awaiter *a)
{
    return (enum operation)(a->type - types);
}

/* While it waits, a->source is the loop and a->result the descriptor. */
static int fd_of(const awaiter *a)
{
    return (int)a->result;
}

/* ---- Operations ---------------------------------------------------------- */

static ssize_t poll_once(int fd, short events)
{
    struct pollfd p = {fd, events, 0};
    int n = poll(&p, 1, 0);

    if (n == 0) {
        errno = EAGAIN;
        return -1;
    }
    return n > 0 ? 0 : -1;
}

static ssize_t call(const awaiter *a, bool is_socket)
{
    int fd = fd_of(a);

    switch (operation_of(a)) {
    case READ:
        return read(fd, a->buffer, a->length);
    case READABLE:
        return poll_once(fd, POLLIN);
    case ACCEPT:
        return accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    case WRITE:
        return is_socket ? send(fd, a->buffer, a->length, MSG_NOSIGNAL)
                         : write(fd, a->buffer, a->length);
    case WRITABLE:
        return poll_once(fd, POLLOUT);
    case CONNECT:
    default:
        return connect(fd, a->buffer, (socklen_t)a->length);
    }
}

static bool is_not_now(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINPROGRESS || error == EALREADY;
}

/* One try; EINTR is repeated. */
static intptr_t attempt(const event_loop *loop, const awaiter *a)
{
    ssize_t n;

    do {
        n = call(a, loop->watches[fd_of(a)].is_socket);
    } while (n < 0 && errno == EINTR);
    if (n >= 0) {
        return n;
    }
    return is_not_now(errno) ? NOT_NOW : -errno;
}

/* ---- Lines of waiters ---------------------------------------------------- */

static struct line *line_of(const event_loop *loop, const awaiter *a)
{
    struct watch *w = &loop->watches[fd_of(a)];

    return operation_of(a) < WRITE ? &w->readers : &w->writers;
}

static void stand_in_line(event_loop *loop, struct line *line, awaiter *a)
{
    a->next = NULL;
    if (line->first == NULL) {
        line->first = a;
    } else {
        line->last->next = a;
    }
    line->last = a;
    loop->waiting++;
}

static void leave_line(event_loop *loop, struct line *line, const awaiter *a)
{
    awaiter *before = NULL;

    for (awaiter *b = line->first; b != a; b = b->next) {
        before = b;
    }
    if (before == NULL) {
        line->first = a->next;
    } else {
        before->next = a->next;
    }
    if (line->last == a) {
        line->last = before;
    }
    loop->waiting--;
}

static void wake(event_loop *loop, struct line *line, intptr_t result)
{
    awaiter *a = line->first;

    leave_line(loop, line, a);
    co_wake(a, result);
}

static void wake_all(event_loop *loop, struct line *line, intptr_t result)
{
    while (line->first != NULL) {
        wake(loop, line, result);
    }
}

/* In order, until one would have to wait. */
static void serve(event_loop *loop, struct line *line)
{
    while (line->first != NULL) {
        intptr_t result = attempt(loop, line->first);

        if (result == NOT_NOW) {
            break;
        }
        wake(loop, line, result);
    }
}

/* ---- Descriptors --------------------------------------------------------- */

static int grow(event_loop *loop, int fd)
{
    int count = fd < INT_MAX / 2 ? 2 * fd + 16 : INT_MAX;
    struct watch *watches = reallocarray(loop->watches, (size_t)count, sizeof(struct watch));

    if (watches == NULL) {
        return -ENOMEM;
    }
    while (loop->watch_count < count) {
        watches[loop->watch_count++] = (struct watch){0};
    }
    loop->watches = watches;
    return 0;
}

/* Before anything is done with it. */
static int get_to_know(event_loop *loop, int fd)
{
    int flags, type;
    socklen_t size = sizeof type;

    if (fd >= 0 && fd < loop->watch_count && loop->watches[fd].is_known) {
        return 0;
    }
    flags = fcntl(fd, F_GETFL);
    if (flags == -1 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) == -1) {
        return -errno;
    }
    if (fd >= loop->watch_count && grow(loop, fd) != 0) {
        return -ENOMEM;
    }
    loop->watches[fd].is_known = true;
    loop->watches[fd].is_socket = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
    return 0;
}

/* Tells epoll for what somebody waits now. */
static int tell_epoll(event_loop *loop, int fd)
{
    struct watch *w = &loop->watches[fd];
    uint32_t events = (w->readers.first != NULL ? (uint32_t)EPOLLIN : 0) |
                      (w->writers.first != NULL ? (uint32_t)EPOLLOUT : 0);
    struct epoll_event event = {.events = events, .data.fd = fd};

    if (events == w->events) {
        return 0;
    }
    if (epoll_ctl(loop->epoll, w->is_in_epoll ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0) {
        return -errno;
    }
    w->events = events;
    w->is_in_epoll = true;
    return 0;
}

static void take_from_epoll(event_loop *loop, int fd)
{
    struct watch *w = &loop->watches[fd];

    if (w->is_in_epoll) {
        (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
        w->is_in_epoll = false;
        w->events = 0;
    }
}

static void cancel_lines(event_loop *loop, int fd)
{
    wake_all(loop, &loop->watches[fd].readers, -ECANCELED);
    wake_all(loop, &loop->watches[fd].writers, -ECANCELED);
}

static void forget(event_loop *loop, int fd)
{
    if (fd >= 0 && fd < loop->watch_count) {
        cancel_lines(loop, fd);
        take_from_epoll(loop, fd);
        loop->watches[fd] = (struct watch){0};
    }
}

static void dispatch(event_loop *loop, int fd, uint32_t events)
{
    struct watch *w = &loop->watches[fd];

    if (w->events == 0) { /* broken, and nobody cares: told again and again */
        take_from_epoll(loop, fd);
        return;
    }
    if ((events & ~(uint32_t)EPOLLOUT) != 0) {
        serve(loop, &w->readers);
    }
    if ((events & ~(uint32_t)EPOLLIN) != 0) {
        serve(loop, &w->writers);
    }
    (void)tell_epoll(loop, fd);
}

/* ---- The awaiters -------------------------------------------------------- */

/* Ends the wait at once; true, for await_ready. */
static bool settle(awaiter *a, intptr_t result)
{
    a->source = NULL;
    a->result = result;
    return true;
}

/* True when a coroutine has had its share of operations without a wait. */
static bool has_had_enough(event_loop *loop, const awaiter *a)
{
    loop->in_a_row = loop->at == a->waiter ? loop->in_a_row + 1 : 1;
    loop->at = a->waiter;
    if (loop->in_a_row < IN_A_ROW || a->executor == NULL) {
        return false;
    }
    loop->in_a_row = 0;
    return true;
}

static bool io_ready(awaiter *a)
{
    event_loop *loop = a->source;
    int error = get_to_know(loop, fd_of(a));
    intptr_t result = NOT_NOW;

    if (error != 0) {
        return settle(a, error);
    }
    if (line_of(loop, a)->first == NULL) { /* else it is not our turn */
        result = attempt(loop, a);
    }
    if (result != NOT_NOW) {
        (void)settle(a, result);
        return !has_had_enough(loop, a);
    }
    return a->executor == NULL && settle(a, -EINVAL);
}

static bool io_suspend(awaiter *a, co_handle waiter)
{
    event_loop *loop = a->source;
    struct line *line;
    int error;

    if (loop == NULL) { /* it has its result, and lets others go first */
        a->executor->schedule(a->executor, waiter);
        return true;
    }
    line = line_of(loop, a);
    stand_in_line(loop, line, a);
    error = tell_epoll(loop, fd_of(a));
    if (error != 0) {
        leave_line(loop, line, a);
        (void)settle(a, error);
        return false;
    }
    loop->at = NULL;
    return true;
}

static intptr_t io_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

/* The number may be known from somebody who closed it by close(2). */
static intptr_t accept_resume(awaiter *a, co_error *thrown)
{
    if (a->result >= 0) {
        forget(a->buffer, (int)a->result);
    }
    return io_resume(a, thrown);
}

static void io_cancel(awaiter *a)
{
    event_loop *loop = a->source;
    int fd = fd_of(a);

    if (loop != NULL) {
        leave_line(loop, line_of(loop, a), a);
        (void)tell_epoll(loop, fd);
        (void)settle(a, -ECANCELED);
    } else if (operation_of(a) == ACCEPT && a->result >= 0) {
        (void)close(fd); /* nobody will take this connection */
    }
}

static void io_describe(const awaiter *a, char *text, size_t size)
{
    if (a->source == NULL) {
        (void)snprintf(text, size, "%s", a->type->name);
    } else {
        (void)snprintf(text, size, "%s(fd %d)", a->type->name, fd_of(a));
    }
}

static const awaiter_type types[CONNECT + 1] = {
    [READ] = {"read", io_ready, io_suspend, io_resume, io_cancel, io_describe},
    [READABLE] = {"readable", io_ready, io_suspend, io_resume, io_cancel, io_describe},
    [ACCEPT] = {"accept", io_ready, io_suspend, accept_resume, io_cancel, io_describe},
    [WRITE] = {"write", io_ready, io_suspend, io_resume, io_cancel, io_describe},
    [WRITABLE] = {"writable", io_ready, io_suspend, io_resume, io_cancel, io_describe},
    [CONNECT] = {"connect", io_ready, io_suspend, io_resume, io_cancel, io_describe},
};

static awaiter io(enum operation operation, event_loop *loop, int fd, const void *buffer,
                  size_t length)
{
    awaiter a = {.type = &types[operation], .source = loop, .result = fd};

    a.buffer = (void *)(uintptr_t)buffer;
    a.length = length;
    return a;
}

awaiter event_loop_read(event_loop *loop, int fd, void *buffer, size_t length)
{
    return io(READ, loop, fd, buffer, length);
}

awaiter event_loop_write(event_loop *loop, int fd, const void *buffer, size_t length)
{
    return io(WRITE, loop, fd, buffer, length);
}

awaiter event_loop_readable(event_loop *loop, int fd)
{
    return io(READABLE, loop, fd, NULL, 0);
}

awaiter event_loop_writable(event_loop *loop, int fd)
{
    return io(WRITABLE, loop, fd, NULL, 0);
}

awaiter event_loop_accept(event_loop *loop, int listener)
{
    return io(ACCEPT, loop, listener, loop, 0);
}

awaiter event_loop_connect(event_loop *loop, int fd, const struct sockaddr *address,
                           socklen_t length)
{
    return io(CONNECT, loop, fd, address, length);
}

/* ---- Ending a wait ------------------------------------------------------- */

int event_loop_cancel(event_loop *loop, int fd)
{
    if (fd < 0) {
        return -EBADF;
    }
    if (fd < loop->watch_count) {
        cancel_lines(loop, fd);
        (void)tell_epoll(loop, fd);
    }
    return 0;
}

int event_loop_close(event_loop *loop, int fd)
{
    forget(loop, fd);
    if (close(fd) == 0 || errno == EINTR) {
        return 0;
    }
    return -errno;
}

/* ---- The driver ---------------------------------------------------------- */

static int64_t until_next_deadline(timers *t)
{
    lab_clock *clock = timers_clock(t);
    int64_t now = clock->now(clock), next = timers_next_deadline(t);

    return next <= now ? 0 : now < 0 && next > INT64_MAX + now ? INT64_MAX : next - now;
}

/* In milliseconds, rounded up. */
static int time_out(const event_loop *loop)
{
    int64_t left, ms;

    if (loop->timers == NULL || timers_count(loop->timers) == 0) {
        return -1;
    }
    left = until_next_deadline(loop->timers);
    ms = left / 1000000 + (left % 1000000 > 0 ? 1 : 0);
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

static bool loop_pending(driver *self)
{
    const event_loop *loop = (const event_loop *)self;

    return loop->waiting > 0 || (loop->timers != NULL && timers_count(loop->timers) > 0);
}

/* Level-triggered, the bell must be read, or it would ring for ever. */
static void silence_bell(event_loop *loop)
{
    uint64_t rings;

    (void)!read(loop->bell, &rings, sizeof rings);
}

/* -EINTR: event_loop_stop was called. */
static int loop_poll(driver *self, bool may_block)
{
    event_loop *loop = (event_loop *)self;
    struct epoll_event events[BATCH];
    int n = epoll_wait(loop->epoll, events, BATCH, may_block ? time_out(loop) : 0);

    if (n < 0 && errno != EINTR) {
        return -errno;
    }
    for (int i = 0; i < n; i++) {
        if (events[i].data.fd == loop->bell) {
            silence_bell(loop);
        } else {
            dispatch(loop, events[i].data.fd, events[i].events);
        }
    }
    if (loop->timers != NULL) {
        (void)timers_expire(loop->timers);
    }
    return atomic_load(&loop->stop) ? -EINTR : 0;
}

/* ---- Running ------------------------------------------------------------- */

/* A stop is over when the run has ended, be it that it ended by itself. */
int event_loop_run(event_loop *loop)
{
    int result = -EINTR;

    if (loop->turning) {
        return -EBUSY;
    }
    loop->turning = true;
    if (!atomic_load(&loop->stop)) {
        result = scheduler_run(loop->scheduler);
    }
    loop->turning = false;
    if (result != -EBUSY) {
        atomic_store(&loop->stop, false);
    }
    return result == -EINTR ? 0 : result;
}

void event_loop_stop(event_loop *loop)
{
    const uint64_t ring = 1;
    int saved = errno;

    atomic_store(&loop->stop, true);
    (void)!write(loop->bell, &ring, sizeof ring);
    errno = saved;
}

/* ---- Creating and destroying --------------------------------------------- */

static bool open_descriptors_of(event_loop *loop)
{
    struct epoll_event event = {.events = EPOLLIN};

    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll < 0) {
        return false;
    }
    loop->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->bell < 0) {
        return false;
    }
    event.data.fd = loop->bell;
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->bell, &event) == 0;
}

event_loop *event_loop_create(scheduler *s, timers *t, unsigned options)
{
    event_loop *loop;

    if ((options | EVENT_LOOP_LEVEL_TRIGGERED) != EVENT_LOOP_LEVEL_TRIGGERED) {
        errno = EINVAL;
        return NULL;
    }
    loop = calloc(1, sizeof *loop);
    if (loop == NULL) {
        return NULL;
    }
    loop->driver = (driver){loop_pending, loop_poll};
    loop->scheduler = s;
    loop->timers = t;
    loop->bell = -1;
    if (!open_descriptors_of(loop)) {
        int error = errno;

        event_loop_destroy(loop);
        errno = error;
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
    for (int fd = 0; fd < loop->watch_count; fd++) {
        cancel_lines(loop, fd);
    }
    if (loop->epoll >= 0) {
        (void)close(loop->epoll);
    }
    if (loop->bell >= 0) {
        (void)close(loop->bell);
    }
    free(loop->watches);
    free(loop);
}

scheduler *event_loop_scheduler(const event_loop *loop)
{
    return loop->scheduler;
}

timers *event_loop_timers(const event_loop *loop)
{
    return loop->timers;
}
