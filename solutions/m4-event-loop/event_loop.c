/* event_loop.c - milestone 4, reference: coroutines that wait for descriptors, on epoll.
 *
 * An operation is tried when it is awaited, and again whenever epoll says that its side of the
 * descriptor may be ready; so its result is there when the coroutine is woken, and an event that
 * came for nothing costs one try. One thread does all this: no coroutine runs while events are
 * dispatched.
 */
#include "event_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    FIRST_CAPACITY = 64,
    EVENTS_PER_POLL = 256,
    UNINTERRUPTED =
        16, /* operations in a row that need not wait, then it is somebody else's turn */
};

/* What a try returns if it would have to wait: no value of a system call, no negative errno. */
#define WOULD_BLOCK INTPTR_MIN

/* The event_loop_stop event; no descriptor has this number and generation. */
#define STOP_EVENT UINT64_MAX

enum side { INPUT, OUTPUT };

/* Coroutines that wait for one side of a descriptor, oldest first. */
struct waiters {
    awaiter *first, *last;
};

/* What is known of the input, so that event_loop_readable need not ask the kernel. */
enum input { UNKNOWN, THERE, NONE };

/* One descriptor. Made at its first use, forgotten by event_loop_close. */
struct fd_state {
    struct waiters waiters[2]; /* by enum side */
    uint32_t generation;       /* counts the owners of this number: old events do not match */
    uint32_t interest;         /* registered with epoll for these events; 0: not registered */
    bool attached;             /* non-blocking, and its kind is known */
    bool is_socket;            /* write by send, for MSG_NOSIGNAL */
    bool is_tcp;               /* a short read has emptied it, */
    bool short_is_not_all;     /* unless its end, an error or an urgent byte came with the data */
    enum input input;
};

struct event_loop {
    driver driver; /* first: a driver * is an event_loop * */
    scheduler *scheduler;
    timers *timers; /* NULL: none */
    bool level_triggered;
    int epoll, wake_up; /* wake_up: an eventfd, written by event_loop_stop */
    atomic_bool stop;   /* asked for, and not yet obeyed */
    bool running;       /* inside event_loop_run */

    struct fd_state *states; /* by descriptor */
    size_t capacity;
    size_t waiting; /* coroutines in all those lists */

    co_handle busy;  /* the coroutine that had the last operation which did not wait, ... */
    unsigned streak; /* ... and how many of them in a row */

    struct epoll_event events[EVENTS_PER_POLL];
};

/* An awaiter of this file: `source` is the loop, `result` the descriptor while it waits. */
struct io_type {
    awaiter_type awaiter; /* first: an awaiter's type is an io_type * */
    enum side side;
    /* One try: the value of the await, or WOULD_BLOCK. */
    intptr_t (*attempt)(struct fd_state *state, const awaiter *a);
};

static const struct io_type *io_type_of(const awaiter *a)
{
    return (const struct io_type *)a->type;
}

static int fd_of(const awaiter *a)
{
    return (int)a->result;
}

/* ---- One try of each operation ------------------------------------------- */

static intptr_t result_of(ssize_t value)
{
    if (value >= 0) {
        return value;
    }
    return errno == EAGAIN ? WOULD_BLOCK : -errno;
}

/* A short read has emptied a TCP socket: a second one, to see EAGAIN, would be a system call for
 * nothing. Not so a terminal, a datagram, or a local socket that passes descriptors, where a read
 * may end earlier; and not if the event that announced the data announced more: there will be no
 * other. */
static intptr_t attempt_read(struct fd_state *state, const awaiter *a)
{
    bool was_short, is_empty;
    ssize_t n;

    do {
        n = read(fd_of(a), a->buffer, a->length);
    } while (n < 0 && errno == EINTR);
    was_short = n > 0 && (size_t)n < a->length;
    is_empty = n < 0 ? errno == EAGAIN : was_short && state->is_tcp && !state->short_is_not_all;
    state->input = is_empty ? NONE : UNKNOWN;
    return result_of(n);
}

static intptr_t attempt_write(struct fd_state *state, const awaiter *a)
{
    ssize_t n;

    do {
        n = state->is_socket ? send(fd_of(a), a->buffer, a->length, MSG_NOSIGNAL)
                             : write(fd_of(a), a->buffer, a->length);
    } while (n < 0 && errno == EINTR);
    return result_of(n);
}

static intptr_t attempt_poll(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    int n;

    do {
        n = poll(&p, 1, 0);
    } while (n < 0 && errno == EINTR);
    return n == 0 ? WOULD_BLOCK : n > 0 ? 0 : -errno;
}

/* Tells each event once: whoever then reads by other means is not told of it again. */
static intptr_t attempt_readable(struct fd_state *state, const awaiter *a)
{
    enum input known = state->input;
    intptr_t result = known == THERE  ? 0
                      : known == NONE ? WOULD_BLOCK
                                      : attempt_poll(fd_of(a), POLLIN);

    state->input = result == WOULD_BLOCK ? NONE : UNKNOWN;
    return result;
}

static intptr_t attempt_writable(struct fd_state *state, const awaiter *a)
{
    (void)state;
    return attempt_poll(fd_of(a), POLLOUT);
}

static intptr_t attempt_accept(struct fd_state *state, const awaiter *a)
{
    int fd;

    (void)state;
    do {
        fd = accept4(fd_of(a), NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return result_of(fd);
}

/* Asked again while under way, connect(2) says EALREADY, then 0 or what went wrong. An interrupted
 * one goes on by itself. */
static intptr_t attempt_connect(struct fd_state *state, const awaiter *a)
{
    (void)state;
    if (connect(fd_of(a), a->buffer, (socklen_t)a->length) == 0) {
        return 0;
    }
    return errno == EINPROGRESS || errno == EALREADY || errno == EINTR ? WOULD_BLOCK : -errno;
}

/* ---- Descriptors --------------------------------------------------------- */

static int reserve_states(event_loop *loop, size_t needed)
{
    size_t capacity = loop->capacity != 0 ? loop->capacity : FIRST_CAPACITY;
    struct fd_state *states;

    if (loop->states != NULL && needed <= loop->capacity) {
        return 0;
    }
    while (capacity < needed) {
        capacity *= 2;
    }
    states = realloc(loop->states, capacity * sizeof *states);
    if (states == NULL) {
        return -ENOMEM;
    }
    for (size_t i = loop->capacity; i < capacity; i++) {
        states[i] = (struct fd_state){0};
    }
    loop->states = states;
    loop->capacity = capacity;
    return 0;
}

static struct fd_state *known_state(event_loop *loop, int fd)
{
    return fd >= 0 && (size_t)fd < loop->capacity ? &loop->states[fd] : NULL;
}

/* Prepares a descriptor at its first use: makes it non-blocking, finds out what it is. */
static int attach(event_loop *loop, int fd)
{
    const struct fd_state *known = known_state(loop, fd);
    struct fd_state *state;
    int flags, protocol;
    socklen_t size = sizeof protocol;

    if (known != NULL && known->attached) {
        return 0;
    }
    flags = fcntl(fd, F_GETFL);
    if (flags < 0 || ((flags & O_NONBLOCK) == 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)) {
        return -errno;
    }
    if (reserve_states(loop, (size_t)fd + 1) != 0) {
        return -ENOMEM;
    }
    state = &loop->states[fd];
    state->attached = true;
    state->is_socket = getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0;
    state->is_tcp = state->is_socket && protocol == IPPROTO_TCP;
    return 0;
}

static uint32_t wanted_events(const event_loop *loop, const struct fd_state *state)
{
    uint32_t events = 0;

    if (!loop->level_triggered) {
        return EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP | EPOLLET; /* once and for all */
    }
    events |= state->waiters[INPUT].first != NULL ? EPOLLIN | EPOLLRDHUP : 0;
    events |= state->waiters[OUTPUT].first != NULL ? EPOLLOUT : 0;
    return events;
}

/* Brings epoll up to date with who waits: edge-triggered, that is one call in the life of a
 * descriptor. Level-triggered, a descriptor for which nobody waits must go, for errors are reported
 * unasked. */
static int update_interest(event_loop *loop, int fd)
{
    struct fd_state *state = &loop->states[fd];
    struct epoll_event event = {.events = wanted_events(loop, state)};
    int operation = state->interest == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;

    if (event.events == state->interest) {
        return 0;
    }
    if (event.events == 0) {
        operation = EPOLL_CTL_DEL;
    }
    event.data.u64 = (uint64_t)state->generation << 32 | (uint32_t)fd;
    if (epoll_ctl(loop->epoll, operation, fd, &event) != 0) {
        return -errno;
    }
    state->interest = event.events;
    return 0;
}

/* A new owner of the number `fd`: what was known of an earlier one, closed behind our back perhaps,
 * and its waiters, are no concern of his. */
static void adopt(event_loop *loop, int fd, bool is_tcp)
{
    struct fd_state *state = known_state(loop, fd);

    if (state != NULL) {
        (void)event_loop_cancel(loop, fd);
        *state = (struct fd_state){
            .generation = state->generation + 1,
            .attached = true,
            .is_socket = true,
            .is_tcp = is_tcp,
        };
    }
}

/* ---- Waiters ------------------------------------------------------------- */

static void append_waiter(event_loop *loop, struct waiters *list, awaiter *a)
{
    a->next = NULL;
    *(list->first != NULL ? &list->last->next : &list->first) = a;
    list->last = a;
    loop->waiting++;
}

/* O(n) in the waiters of one side of one descriptor: rarely more than one. */
static void remove_waiter(event_loop *loop, struct waiters *list, const awaiter *a)
{
    awaiter **link = &list->first, *before = NULL;

    while (*link != a) {
        before = *link;
        link = &before->next;
    }
    *link = a->next;
    if (list->last == a) {
        list->last = before;
    }
    loop->waiting--;
}

static void wake_all(event_loop *loop, struct waiters *list, intptr_t result)
{
    while (list->first != NULL) {
        awaiter *a = list->first;

        remove_waiter(loop, list, a);
        co_wake(a, result);
    }
}

/* Lets the waiters try, in order, until one would have to wait. */
static void serve(event_loop *loop, struct fd_state *state, enum side side)
{
    struct waiters *list = &state->waiters[side];

    while (list->first != NULL) {
        awaiter *a = list->first;
        intptr_t result = io_type_of(a)->attempt(state, a);

        if (result == WOULD_BLOCK) {
            return;
        }
        remove_waiter(loop, list, a);
        co_wake(a, result);
    }
}

/* ---- The awaiter --------------------------------------------------------- */

static void finish(awaiter *a, intptr_t result)
{
    a->source = NULL;
    a->result = result;
}

/* A result came without waiting. True: the coroutine may go on; false: it has had its share. */
static bool may_continue(event_loop *loop, const awaiter *a)
{
    if (loop->busy != a->waiter) {
        loop->busy = a->waiter;
        loop->streak = 0;
    }
    if (++loop->streak < UNINTERRUPTED || a->executor == NULL) {
        return true;
    }
    loop->streak = 0;
    return false;
}

static bool io_ready(awaiter *a)
{
    event_loop *loop = a->source;
    int fd = fd_of(a);
    int error = attach(loop, fd);
    intptr_t result = WOULD_BLOCK;

    if (error != 0) {
        finish(a, error);
        return may_continue(loop, a);
    }
    if (loop->states[fd].waiters[io_type_of(a)->side].first == NULL) { /* else behind those */
        result = io_type_of(a)->attempt(&loop->states[fd], a);
    }
    if (result == WOULD_BLOCK && a->executor != NULL) {
        return false;
    }
    finish(a, result == WOULD_BLOCK ? -EINVAL : result);
    return may_continue(loop, a);
}

static bool io_suspend(awaiter *a, co_handle waiter)
{
    event_loop *loop = a->source;
    struct waiters *list;
    int fd, error;

    if (loop == NULL) { /* served already, but it is somebody else's turn */
        a->executor->schedule(a->executor, waiter);
        return true;
    }
    fd = fd_of(a);
    list = &loop->states[fd].waiters[io_type_of(a)->side];
    append_waiter(loop, list, a);
    error = update_interest(loop, fd);
    if (error != 0) {
        remove_waiter(loop, list, a);
        finish(a, error);
        return false;
    }
    if (loop->busy == waiter) {
        loop->streak = 0;
    }
    return true;
}

static intptr_t io_resume(awaiter *a, co_error *thrown)
{
    (void)thrown;
    return a->result;
}

static void io_cancel(awaiter *a)
{
    event_loop *loop = a->source;
    int fd = fd_of(a);

    if (loop == NULL) {
        return;
    }
    remove_waiter(loop, &loop->states[fd].waiters[io_type_of(a)->side], a);
    if (loop->level_triggered) {
        (void)update_interest(loop, fd);
    }
    finish(a, -ECANCELED);
}

/* Of an accept, buffer is the loop and length the listener. */
static intptr_t accept_resume(awaiter *a, co_error *thrown)
{
    event_loop *loop = a->buffer;

    (void)thrown;
    if (a->result >= 0) {
        adopt(loop, fd_of(a), loop->states[a->length].is_tcp);
    }
    return a->result;
}

/* A connection that was accepted for a coroutine which will not take it any more is closed. */
static void accept_cancel(awaiter *a)
{
    if (a->source == NULL && a->result >= 0) {
        (void)close(fd_of(a));
    }
    io_cancel(a);
}

static void io_describe(const awaiter *a, char *text, size_t size)
{
    if (a->source != NULL) {
        (void)snprintf(text, size, "%s(fd %d)", a->type->name, fd_of(a));
    } else {
        (void)snprintf(text, size, "%s", a->type->name);
    }
}

#define IO_TYPE(name, side, attempt)                                                               \
    {                                                                                              \
        {name, io_ready, io_suspend, io_resume, io_cancel, io_describe}, side, attempt             \
    }

static const struct io_type read_type = IO_TYPE("read", INPUT, attempt_read);
static const struct io_type write_type = IO_TYPE("write", OUTPUT, attempt_write);
static const struct io_type readable_type = IO_TYPE("readable", INPUT, attempt_readable);
static const struct io_type writable_type = IO_TYPE("writable", OUTPUT, attempt_writable);
static const struct io_type connect_type = IO_TYPE("connect", OUTPUT, attempt_connect);
static const struct io_type accept_type = {
    {"accept", io_ready, io_suspend, accept_resume, accept_cancel, io_describe},
    INPUT,
    attempt_accept};

static awaiter io_awaiter(const struct io_type *type, event_loop *loop, int fd)
{
    return (awaiter){.type = &type->awaiter, .source = loop, .result = fd};
}

awaiter event_loop_read(event_loop *loop, int fd, void *buffer, size_t length)
{
    awaiter a = io_awaiter(&read_type, loop, fd);

    a.buffer = buffer;
    a.length = length;
    return a;
}

awaiter event_loop_write(event_loop *loop, int fd, const void *buffer, size_t length)
{
    awaiter a = io_awaiter(&write_type, loop, fd);

    a.buffer = (void *)(uintptr_t)buffer;
    a.length = length;
    return a;
}

awaiter event_loop_readable(event_loop *loop, int fd)
{
    return io_awaiter(&readable_type, loop, fd);
}

awaiter event_loop_writable(event_loop *loop, int fd)
{
    return io_awaiter(&writable_type, loop, fd);
}

awaiter event_loop_accept(event_loop *loop, int listener)
{
    awaiter a = io_awaiter(&accept_type, loop, listener);

    a.buffer = loop;
    a.length = (size_t)listener;
    return a;
}

awaiter event_loop_connect(event_loop *loop, int fd, const struct sockaddr *address,
                           socklen_t length)
{
    awaiter a = io_awaiter(&connect_type, loop, fd);

    a.buffer = (void *)(uintptr_t)address;
    a.length = length;
    return a;
}

/* ---- Ending a wait ------------------------------------------------------- */

int event_loop_cancel(event_loop *loop, int fd)
{
    struct fd_state *state = known_state(loop, fd);

    if (fd < 0) {
        return -EBADF;
    }
    if (state != NULL) {
        wake_all(loop, &state->waiters[INPUT], -ECANCELED);
        wake_all(loop, &state->waiters[OUTPUT], -ECANCELED);
        if (loop->level_triggered) {
            (void)update_interest(loop, fd);
        }
    }
    return 0;
}

/* Removes it from epoll before it is closed: if somebody else holds the same open file (dup, fork),
 * the kernel would go on reporting events of a number that is no longer ours. */
int event_loop_close(event_loop *loop, int fd)
{
    struct fd_state *state = known_state(loop, fd);

    if (state != NULL) {
        (void)event_loop_cancel(loop, fd);
        if (state->interest != 0) {
            (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
        }
        *state = (struct fd_state){.generation = state->generation + 1};
    }
    return close(fd) == 0 || errno == EINTR ? 0 : -errno; /* Linux closes in spite of EINTR */
}

/* ---- The driver: what the scheduler's loop calls ------------------------- */

/* Milliseconds until `deadline`, rounded up: neither early, nor a busy wait for the last fraction.
 */
static int milliseconds_until(const timers *t, int64_t deadline)
{
    lab_clock *clock = timers_clock(t);
    int64_t left, ms;

    if (__builtin_sub_overflow(deadline, clock->now(clock), &left)) {
        return INT_MAX;
    }
    if (left <= 0) {
        return 0;
    }
    ms = left / MILLISECONDS(1) + (left % MILLISECONDS(1) != 0);
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* The time-out of epoll_wait; -1: none. */
static int time_to_wait(const event_loop *loop)
{
    if (loop->timers == NULL || timers_count(loop->timers) == 0) {
        return -1;
    }
    return milliseconds_until(loop->timers, timers_next_deadline(loop->timers));
}

/* Errors and hang-ups concern both sides: the next try will tell each what it is. */
static void dispatch(event_loop *loop, const struct epoll_event *event)
{
    struct fd_state *state = known_state(loop, (int)(uint32_t)event->data.u64);
    bool both = (event->events & (EPOLLERR | EPOLLHUP)) != 0;

    if (event->data.u64 == STOP_EVENT || state == NULL ||
        state->generation != event->data.u64 >> 32) {
        return;
    }
    if (both || (event->events & (EPOLLIN | EPOLLPRI | EPOLLRDHUP)) != 0) {
        state->short_is_not_all =
            state->short_is_not_all || both || (event->events & (EPOLLPRI | EPOLLRDHUP)) != 0;
        state->input = THERE;
        serve(loop, state, INPUT);
    }
    if (both || (event->events & EPOLLOUT) != 0) {
        serve(loop, state, OUTPUT);
    }
    if (loop->level_triggered) {
        (void)update_interest(loop, (int)(uint32_t)event->data.u64);
    }
}

static int wait_and_dispatch(event_loop *loop, int time_out)
{
    int n = epoll_wait(loop->epoll, loop->events, EVENTS_PER_POLL, time_out);

    if (n < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    for (int i = 0; i < n; i++) {
        dispatch(loop, &loop->events[i]);
    }
    return 0;
}

static bool loop_pending(driver *self)
{
    const event_loop *loop = (event_loop *)self;

    return loop->waiting > 0 || (loop->timers != NULL && timers_count(loop->timers) > 0);
}

/* True once for each event_loop_stop, or for several that came together. */
static bool take_stop(event_loop *loop)
{
    return atomic_load(&loop->stop) && atomic_exchange(&loop->stop, false);
}

/* -ECANCELED: event_loop_stop was called. */
static int loop_poll(driver *self, bool may_block)
{
    event_loop *loop = (event_loop *)self;
    int result = 0;

    if (may_block || loop->waiting > 0) {
        result = wait_and_dispatch(loop, may_block ? time_to_wait(loop) : 0);
    }
    if (loop->timers != NULL) {
        (void)timers_expire(loop->timers);
    }
    return result == 0 && take_stop(loop) ? -ECANCELED : result;
}

/* ---- Running ------------------------------------------------------------- */

static int run_until_stopped(event_loop *loop)
{
    int result;

    if (take_stop(loop)) {
        return 0;
    }
    result = scheduler_run(loop->scheduler);
    (void)take_stop(loop); /* one that came while the run ended by itself */
    return result == -ECANCELED ? 0 : result;
}

/* A run inside the run takes no stop from it. */
int event_loop_run(event_loop *loop)
{
    int result;

    if (loop->running) {
        return -EBUSY;
    }
    loop->running = true;
    result = run_until_stopped(loop);
    loop->running = false;
    return result;
}

/* Edge-triggered, every write to the eventfd is an event, so that nobody has to read it. */
void event_loop_stop(event_loop *loop)
{
    int saved = errno; /* for a signal handler */
    uint64_t one = 1;

    atomic_store(&loop->stop, true);
    (void)!write(loop->wake_up, &one, sizeof one);
    errno = saved;
}

/* ---- Creating and destroying --------------------------------------------- */

static int open_descriptors_of(event_loop *loop)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = STOP_EVENT};

    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_up = loop->epoll < 0 ? -1 : eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (loop->wake_up < 0) {
        return -errno;
    }
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->wake_up, &event) == 0 ? 0 : -errno;
}

static void close_descriptors_of(event_loop *loop)
{
    if (loop->epoll >= 0) {
        (void)close(loop->epoll);
    }
    if (loop->wake_up >= 0) {
        (void)close(loop->wake_up);
    }
}

event_loop *event_loop_create(scheduler *s, timers *t, unsigned options)
{
    event_loop *loop;
    int error;

    if ((options & ~(unsigned)EVENT_LOOP_LEVEL_TRIGGERED) != 0) {
        errno = EINVAL;
        return NULL;
    }
    loop = calloc(1, sizeof *loop);
    if (loop == NULL) {
        return NULL;
    }
    *loop = (event_loop){
        .driver = {.pending = loop_pending, .poll = loop_poll},
        .scheduler = s,
        .timers = t,
        .level_triggered = (options & EVENT_LOOP_LEVEL_TRIGGERED) != 0,
    };
    error = open_descriptors_of(loop);
    if (error != 0) {
        close_descriptors_of(loop);
        free(loop);
        errno = -error;
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
    for (size_t fd = 0; fd < loop->capacity; fd++) {
        wake_all(loop, &loop->states[fd].waiters[INPUT], -ECANCELED);
        wake_all(loop, &loop->states[fd].waiters[OUTPUT], -ECANCELED);
    }
    close_descriptors_of(loop);
    free(loop->states);
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
