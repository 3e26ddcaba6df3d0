/* stopping.c - given: how the program echo-server ends.
 *
 * Coroutines, on the first thread: `signals`, and if there are other threads `others`, which hears
 * of their ends; on each other thread `orders`. And on each thread `ending`, which waits for the
 * end of its server. A server that ends, whoever wanted it, takes all others with it.
 */
#include "program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The coroutines have no locals but these. */
struct watch {
    task task; /* first */
    struct server_thread *thread;
    union {
        struct signalfd_siginfo signal;
        eventfd_t sum; /* of what was written since the last read */
    } read;
    intptr_t n;
    int signals;
};

static bool is_first(const struct server_thread *t)
{
    return t == t->program->threads;
}

/* ---- Orders -------------------------------------------------------------- */

static void obey(struct server_thread *t, bool abort)
{
    if (t->drained) {
        return;
    }
    if (abort) {
        echo_server_abort(t->server);
    } else {
        echo_server_stop(t->server);
    }
}

void order_others(struct program *p, enum order order)
{
    for (unsigned i = 1; i < p->settings.threads; i++) {
        (void)eventfd_write(p->threads[i].orders, order);
    }
}

/* The first SIGTERM or SIGINT stops gracefully, the second at once. */
static void signals_body(co_handle frame)
{
    struct watch *self = (struct watch *)frame;
    struct program *p = self->thread->program;

    CO_BEGIN(self);
    while (p->running > 0) {
        CO_AWAIT(self, self->n,
                 event_loop_read(self->thread->loop, p->signals, &self->read, sizeof self->read));
        if (self->n <= 0) {
            break;
        }
        p->aborted = ++self->signals > 1;
        order_others(p, p->aborted ? ABORT : STOP);
        obey(self->thread, p->aborted);
    }
    CO_END(self);
}

static void orders_body(co_handle frame)
{
    struct watch *self = (struct watch *)frame;
    struct server_thread *t = self->thread;

    CO_BEGIN(self);
    while (!t->drained) {
        CO_AWAIT(self, self->n,
                 event_loop_read(t->loop, t->orders, &self->read, sizeof self->read));
        if (self->n <= 0) {
            break;
        }
        obey(t, self->read.sum >= ABORT);
    }
    CO_END(self);
}

/* ---- Ends ---------------------------------------------------------------- */

/* So many servers have ended; after the last of them nobody need listen to anything any more. */
static void note_ends(struct server_thread *first, unsigned count)
{
    struct program *p = first->program;

    p->running -= count;
    if (p->running > 0) {
        order_others(p, STOP);
        obey(first, false);
        return;
    }
    (void)event_loop_cancel(first->loop, p->signals);
    (void)event_loop_cancel(first->loop, p->ends);
}

static void others_body(co_handle frame)
{
    struct watch *self = (struct watch *)frame;
    struct server_thread *t = self->thread;
    struct program *p = t->program;

    CO_BEGIN(self);
    while (p->running > 0) {
        CO_AWAIT(self, self->n, event_loop_read(t->loop, p->ends, &self->read, sizeof self->read));
        if (self->n <= 0) {
            break;
        }
        note_ends(t, (unsigned)self->read.sum);
    }
    CO_END(self);
}

/* The first thread hears signals until all have ended, the others have only their `orders` to end.
 * A descriptor is cancelled and not closed: somebody may be writing to it, and would write to
 * whatever got its number next. */
static void ending_body(co_handle frame)
{
    struct watch *self = (struct watch *)frame;
    struct server_thread *t = self->thread;

    CO_BEGIN(self);
    CO_AWAIT(self, t->failures, echo_server_drained(t->server));
    t->drained = true;
    if (is_first(t)) {
        note_ends(t, 1);
    } else {
        (void)event_loop_cancel(t->loop, t->orders);
    }
    CO_END(self);
}

/* ---- From the start to the end ------------------------------------------- */

/* Signals are blocked, so that they come through the descriptor. SIGPIPE concerns standard output.
 */
static int open_signals(void)
{
    sigset_t set;

    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int open_eventfd(int *fd)
{
    *fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return *fd >= 0 ? 0 : -errno;
}

int stopping_open(struct server_thread *t)
{
    struct program *p = t->program;

    if (!is_first(t)) {
        return open_eventfd(&t->orders);
    }
    p->signals = open_signals();
    if (p->signals < 0) {
        return -errno;
    }
    return p->settings.threads > 1 ? open_eventfd(&p->ends) : 0;
}

static void close_if_open(int fd)
{
    if (fd >= 0) {
        (void)close(fd);
    }
}

void stopping_close(struct program *p)
{
    for (unsigned i = 0; i < p->settings.threads; i++) {
        close_if_open(p->threads[i].orders);
    }
    close_if_open(p->signals);
    close_if_open(p->ends);
}

static int spawn(struct server_thread *t, const char *name, void (*body)(co_handle))
{
    struct watch *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return -ENOMEM;
    }
    self->thread = t;
    return scheduler_spawn(t->scheduler, task_init(&self->task, name, body, NULL));
}

int stopping_spawn(struct server_thread *t)
{
    int result;

    if (is_first(t)) {
        result = spawn(t, "signals", signals_body);
        if (result == 0 && t->program->ends >= 0) {
            result = spawn(t, "others", others_body);
        }
    } else {
        result = spawn(t, "orders", orders_body);
    }
    return result == 0 ? spawn(t, "ending", ending_body) : result;
}
