/* event_loop.c - a variant of milestone 4: EPOLLONESHOT.
 *
 * A descriptor is armed for what its waiters need; an event disarms it, and it is armed again if
 * somebody still waits. So nothing that nobody awaits is told twice. Each descriptor has a record of
 * its own, which its event points to: no coroutine runs while events are dispatched, and
 * event_loop_close unregisters before it frees, so no event outlives its record. The wait is in
 * nanoseconds (epoll_pwait2).
 */
#include "event_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 64
#define SHARE  16 /* operations in a row that need not wait */

#define INPUT  0
#define OUTPUT 1

/* Of a try: it would have to wait. */
#define AGAIN INTPTR_MIN

struct channel {
    int fd;
    bool is_socket;
    bool is_registered;
    uint32_t armed;     /* EPOLLIN, EPOLLOUT: the next event of these is told */
    awaiter *queues[2]; /* the waiters of each side, the last one; its `next` is the first */
};

struct event_loop {
    driver driver; /* first */
    scheduler *scheduler;
    timers *timers;
    int epoll, stop_fd;
    atomic_int stops; /* 1: event_loop_stop was called */
    bool runs;        /* in event_loop_run */

    struct channel **channels; /* by descriptor; NULL: not known */
    size_t room;
    size_t waiters;
    co_handle eater; /* who did the last operations that did not wait, */
    unsigned eaten;  /* and how many */
};

struct operation {
    awaiter_type type; /* first */
    int side;
    ssize_t (*call)(const struct channel *c, const awaiter *a); /* as a system call */
};

/* ---- The system calls ----------------------------------------------------- */

static ssize_t call_read(const struct channel *c, const awaiter *a)
{
    return read(c->fd, a->buffer, a->length);
}

static ssize_t call_write(const struct channel *c, const awaiter *a)
{
    if (c->is_socket) {
        return send(c->fd, a->buffer, a->length, MSG_NOSIGNAL);
    }
    return write(c->fd, a->buffer, a->length);
}

static ssize_t call_accept(const struct channel *c, const awaiter *a)
{
    (void)a;
    return accept4(c->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static ssize_t call_connect(const struct channel *c, const awaiter *a)
{
    int result = connect(c->fd, a->buffer, (socklen_t)a->length);

    if (result != 0 && (errno == EINPROGRESS || errno == EALREADY || errno == EINTR)) {
        errno = EAGAIN;
    }
    return result;
}

static ssize_t look(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    int n = poll(&p, 1, 0);

    if (n == 0) {
        errno = EAGAIN;
    }
    return n > 0 ? 0 : -1;
}

static ssize_t call_readable(const struct channel *c, const awaiter *a)
{
    (void)a;
    return look(c->fd, POLLIN);
}

static ssize_t call_writable(const struct channel *c, const awaiter *a)
{
    (void)a;
    return look(c->fd, POLLOUT);
}

static const struct operation *operation_of(const awaiter *a)
{
    return (const struct operation *)a->type;
}

static intptr_t try(const struct channel *c, const awaiter *a)
{
    for (;;) {
        ssize_t n = operation_of(a)->call(c, a);

        if (n >= 0) {
            return n;
        }
        if (errno == EAGAIN) {
            return AGAIN;
        }
        if (errno != EINTR) {
            return -errno;
        }
    }
}

/* ---- Queues: rings, held by their last ------------------------------------ */

static awaiter *first_of(const awaiter *last)
{
    return last != NULL ? last->next : NULL;
}

static void push(event_loop *loop, awaiter **last, awaiter *a)
{
    if (*last == NULL) {
        a->next = a;
    } else {
        a->next = (*last)->next;
        (*last)->next = a;
    }
    *last = a;
    loop->waiters++;
}

static void pull(event_loop *loop, awaiter **last, const awaiter *a)
{
    awaiter *before = *last;

    while (before->next != a) {
        before = before->next;
    }
    before->next = a->next;
    if (*last == a) {
        *last = before != a ? before : NULL;
    }
    loop->waiters--;
}

static void finish_first(event_loop *loop, awaiter **last, intptr_t result)
{
    awaiter *a = (*last)->next;

    pull(loop, last, a);
    co_wake(a, result);
}

static void serve(event_loop *loop, struct channel *c, int side)
{
    awaiter *a;

    while ((a = first_of(c->queues[side])) != NULL) {
        intptr_t result = try(c, a);

        if (result == AGAIN) {
            return;
        }
        finish_first(loop, &c->queues[side], result);
    }
}

static void finish_all(event_loop *loop, struct channel *c, intptr_t result)
{
    for (int side = INPUT; side <= OUTPUT; side++) {
        while (c->queues[side] != NULL) {
            finish_first(loop, &c->queues[side], result);
        }
    }
}

/* ---- Channels ------------------------------------------------------------- */

static struct channel *known_channel(const event_loop *loop, int fd)
{
    return fd >= 0 && (size_t)fd < loop->room ? loop->channels[fd] : NULL;
}

static bool make_room(event_loop *loop, size_t needed)
{
    struct channel **channels;

    if (needed <= loop->room) {
        return true;
    }
    needed += needed / 2 + 32;
    channels = realloc(loop->channels, needed * sizeof(struct channel *));
    if (channels == NULL) {
        return false;
    }
    memset(channels + loop->room, 0, (needed - loop->room) * sizeof(struct channel *));
    loop->channels = channels;
    loop->room = needed;
    return true;
}

static struct channel *new_channel(event_loop *loop, int fd)
{
    struct channel *c;
    int type;
    socklen_t size = sizeof type;

    if (!make_room(loop, (size_t)fd + 1)) {
        return NULL;
    }
    c = calloc(1, sizeof *c);
    if (c != NULL) {
        c->fd = fd;
        c->is_socket = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
        loop->channels[fd] = c;
    }
    return c;
}

/* The channel of `fd`, which is non-blocking from here on; NULL with errno set. */
static struct channel *channel_of(event_loop *loop, int fd)
{
    struct channel *c = known_channel(loop, fd);
    int flags;

    if (c != NULL) {
        return c;
    }
    flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        return NULL;
    }
    c = new_channel(loop, fd);
    if (c == NULL) {
        errno = ENOMEM;
    }
    return c;
}

/* Sees that the next event that somebody waits for is told. 0, or a negative errno. Who has left is
 * not disarmed: that costs one event at most. */
static int arm(event_loop *loop, struct channel *c)
{
    struct epoll_event event = {.events = EPOLLONESHOT, .data.ptr = c};
    uint32_t needed = (c->queues[INPUT] != NULL ? (uint32_t)EPOLLIN : 0) |
                      (c->queues[OUTPUT] != NULL ? (uint32_t)EPOLLOUT : 0);

    if ((needed & ~c->armed) == 0) {
        return 0;
    }
    event.events |= needed;
    if (epoll_ctl(loop->epoll, c->is_registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c->fd, &event) !=
        0) {
        return -errno;
    }
    c->is_registered = true;
    c->armed = needed;
    return 0;
}

static void dispatch(event_loop *loop, struct channel *c, uint32_t events)
{
    const uint32_t broken = EPOLLHUP | EPOLLERR;
    int error;

    c->armed = 0;
    if ((events & (EPOLLIN | broken)) != 0) {
        serve(loop, c, INPUT);
    }
    if ((events & (EPOLLOUT | broken)) != 0) {
        serve(loop, c, OUTPUT);
    }
    error = arm(loop, c);
    if (error != 0) { /* better told than waiting for ever */
        finish_all(loop, c, error);
    }
}

/* ---- Awaiting: a->source is the loop; a->result first the descriptor, then the value ------------- */

static bool over(awaiter *a, intptr_t result)
{
    a->source = NULL;
    a->result = result;
    return true;
}

static bool io_ready(awaiter *a)
{
    event_loop *loop = a->source;
    const struct channel *c = channel_of(loop, (int)a->result);
    intptr_t result = AGAIN;

    if (c == NULL) {
        return over(a, -errno);
    }
    if (c->queues[operation_of(a)->side] == NULL) {
        result = try(c, a);
    }
    if (result == AGAIN) {
        return a->executor == NULL && over(a, -EINVAL);
    }
    (void)over(a, result);
    if (loop->eater != a->waiter) {
        loop->eater = a->waiter;
        loop->eaten = 0;
    }
    return ++loop->eaten % SHARE != 0 || a->executor == NULL;
}

static bool io_suspend(awaiter *a, co_handle waiter)
{
    event_loop *loop = a->source;
    struct channel *c;
    awaiter **queue;
    int error;

    if (loop == NULL) {
        co_wake(a, a->result); /* there is nothing to wait for but the others */
        return true;
    }
    c = known_channel(loop, (int)a->result);
    queue = &c->queues[operation_of(a)->side];
    push(loop, queue, a);
    error = arm(loop, c);
    if (error != 0) {
        pull(loop, queue, a);
        (void)over(a, error);
        return false;
    }
    if (loop->eater == waiter) {
        loop->eater = NULL;
    }
    return true;
}

static intptr_t io_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void forget_channel(event_loop *loop, int fd)
{
    struct channel *c = known_channel(loop, fd);

    if (c != NULL) {
        finish_all(loop, c, -ECANCELED);
        if (c->is_registered) {
            (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
        }
        loop->channels[fd] = NULL;
        free(c);
    }
}

/* What was known of that number was about a socket that somebody closed by close(2). */
static intptr_t accept_resume(awaiter *a, co_error *thrown)
{
    if (a->result >= 0) {
        forget_channel(a->buffer, (int)a->result);
    }
    return io_resume(a, thrown);
}

static void io_cancel(awaiter *a)
{
    event_loop *loop = a->source;

    if (loop != NULL) {
        struct channel *c = known_channel(loop, (int)a->result);

        pull(loop, &c->queues[operation_of(a)->side], a);
        (void)over(a, -ECANCELED);
    }
}

static void accept_cancel(awaiter *a)
{
    bool has_result = a->source == NULL;

    io_cancel(a);
    if (has_result && a->result >= 0) {
        (void)close((int)a->result);
    }
}

static void io_describe(const awaiter *a, char *text, size_t size)
{
    if (a->source != NULL) {
        (void)snprintf(text, size, "%s(fd %d)", a->type->name, (int)a->result);
    } else {
        (void)snprintf(text, size, "%s", a->type->name);
    }
}

#define OPERATION(name, cancel)                                                                    \
    {                                                                                              \
        name, io_ready, io_suspend, io_resume, cancel, io_describe                                 \
    }

static const struct operation reading = {OPERATION("read", io_cancel), INPUT, call_read};
static const struct operation writing = {OPERATION("write", io_cancel), OUTPUT, call_write};
static const struct operation becoming_readable = {OPERATION("readable", io_cancel), INPUT,
                                                   call_readable};
static const struct operation becoming_writable = {OPERATION("writable", io_cancel), OUTPUT,
                                                   call_writable};
static const struct operation accepting = {
    {"accept", io_ready, io_suspend, accept_resume, accept_cancel, io_describe},
    INPUT,
    call_accept};
static const struct operation connecting = {OPERATION("connect", io_cancel), OUTPUT, call_connect};

awaiter event_loop_read(event_loop *loop, int fd, void *buffer, size_t length)
{
    return (awaiter){
        .type = &reading.type, .source = loop, .result = fd, .buffer = buffer, .length = length};
}

awaiter event_loop_write(event_loop *loop, int fd, const void *buffer, size_t length)
{
    return (awaiter){.type = &writing.type,
                     .source = loop,
                     .result = fd,
                     .buffer = (void *)(uintptr_t)buffer,
                     .length = length};
}

awaiter event_loop_readable(event_loop *loop, int fd)
{
    return (awaiter){.type = &becoming_readable.type, .source = loop, .result = fd};
}

awaiter event_loop_writable(event_loop *loop, int fd)
{
    return (awaiter){.type = &becoming_writable.type, .source = loop, .result = fd};
}

awaiter event_loop_accept(event_loop *loop, int listener)
{
    return (awaiter){.type = &accepting.type, .source = loop, .buffer = loop, .result = listener};
}

awaiter event_loop_connect(event_loop *loop, int fd, const struct sockaddr *address,
                           socklen_t length)
{
    return (awaiter){.type = &connecting.type,
                     .source = loop,
                     .result = fd,
                     .buffer = (void *)(uintptr_t)address,
                     .length = length};
}

int event_loop_cancel(event_loop *loop, int fd)
{
    struct channel *c = known_channel(loop, fd);

    if (c != NULL) {
        finish_all(loop, c, -ECANCELED);
    }
    return fd < 0 ? -EBADF : 0;
}

int event_loop_close(event_loop *loop, int fd)
{
    forget_channel(loop, fd);
    return close(fd) < 0 && errno != EINTR ? -errno : 0;
}

/* ---- The driver ------------------------------------------------------------ */

static bool has_sleepers(const event_loop *loop)
{
    return loop->timers != NULL && timers_count(loop->timers) > 0;
}

/* Until the next deadline; negative: for ever. */
static int64_t time_to_sleep(const event_loop *loop)
{
    lab_clock *clock;
    int64_t left;

    if (!has_sleepers(loop)) {
        return -1;
    }
    clock = timers_clock(loop->timers);
    if (__builtin_sub_overflow(timers_next_deadline(loop->timers), clock->now(clock), &left)) {
        return INT64_MAX;
    }
    return left > 0 ? left : 0;
}

static int wait_for_events(const event_loop *loop, struct epoll_event *events, int64_t duration)
{
    struct timespec t = {.tv_sec = duration / SECONDS(1), .tv_nsec = duration % SECONDS(1)};
    int n = epoll_pwait2(loop->epoll, events, EVENTS, duration < 0 ? NULL : &t, NULL);

    if (n < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    return n;
}

static bool loop_pending(driver *self)
{
    const event_loop *loop = (const event_loop *)self;

    return loop->waiters > 0 || has_sleepers(loop);
}

/* Registered for good, not for one shot: while it can be read, it wakes the wait. */
static void take_stop_event(event_loop *loop)
{
    uint64_t value;

    (void)!read(loop->stop_fd, &value, sizeof value);
}

/* -ESHUTDOWN ends the run for event_loop_stop. */
static int loop_poll(driver *self, bool may_block)
{
    event_loop *loop = (event_loop *)self;
    struct epoll_event events[EVENTS];
    int n = wait_for_events(loop, events, may_block ? time_to_sleep(loop) : 0);

    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr == loop) {
            take_stop_event(loop);
        } else {
            dispatch(loop, events[i].data.ptr, events[i].events);
        }
    }
    if (loop->timers != NULL) {
        (void)timers_expire(loop->timers);
    }
    if (n >= 0 && atomic_load(&loop->stops) != 0) {
        return -ESHUTDOWN;
    }
    return n < 0 ? n : 0;
}

/* ---- Running ----------------------------------------------------------------- */

/* However the run ended, a stop is over then. */
int event_loop_run(event_loop *loop)
{
    int result = -EBUSY;

    if (!loop->runs) {
        loop->runs = true;
        result = atomic_load(&loop->stops) != 0 ? -ESHUTDOWN : scheduler_run(loop->scheduler);
        loop->runs = false;
    }
    if (result == -EBUSY) {
        return result;
    }
    atomic_store(&loop->stops, 0);
    return result == -ESHUTDOWN ? 0 : result;
}

void event_loop_stop(event_loop *loop)
{
    int saved = errno;
    uint64_t one = 1;

    atomic_store(&loop->stops, 1);
    (void)!write(loop->stop_fd, &one, sizeof one);
    errno = saved;
}

/* ---- Creating and destroying --------------------------------------------------- */

static void close_own(event_loop *loop)
{
    if (loop->stop_fd >= 0) {
        (void)close(loop->stop_fd);
    }
    if (loop->epoll >= 0) {
        (void)close(loop->epoll);
    }
}

static int open_own(event_loop *loop)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = loop};

    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (loop->epoll >= 0 && loop->stop_fd >= 0 &&
        epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->stop_fd, &event) == 0) {
        return 0;
    }
    return errno;
}

event_loop *event_loop_create(scheduler *s, timers *t, unsigned options)
{
    event_loop *loop;
    int error;

    if (options > EVENT_LOOP_LEVEL_TRIGGERED) {
        errno = EINVAL;
        return NULL;
    }
    loop = calloc(1, sizeof *loop);
    if (loop == NULL) {
        return NULL;
    }
    loop->driver.pending = loop_pending;
    loop->driver.poll = loop_poll;
    loop->scheduler = s;
    loop->timers = t;
    error = open_own(loop);
    if (error != 0) {
        close_own(loop);
        free(loop);
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
    for (size_t fd = 0; fd < loop->room; fd++) {
        if (loop->channels[fd] != NULL) {
            finish_all(loop, loop->channels[fd], -ECANCELED);
            free(loop->channels[fd]);
        }
    }
    free(loop->channels);
    close_own(loop);
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
