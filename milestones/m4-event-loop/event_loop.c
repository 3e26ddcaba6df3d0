/* event_loop.c - milestone 4: yours to write. README.md goes step by step; event_loop.h says what
 * each must do.
 */
#include "event_loop.h"

#include "not_implemented.h"

struct event_loop {
    driver driver; /* first, so that a driver * is an event_loop * */
    scheduler *scheduler;
    timers *timers;
    /* yours: the epoll descriptor, what you know of each descriptor, ... */
};

/* ---- Step 1: a descriptor and its waiters -------------------------------- */

event_loop *event_loop_create(scheduler *s, timers *t, unsigned options)
{
    (void)s;
    (void)t;
    (void)options;
    not_implemented();
}

void event_loop_destroy(event_loop *loop)
{
    (void)loop;
    not_implemented();
}

scheduler *event_loop_scheduler(const event_loop *loop)
{
    (void)loop;
    not_implemented();
}

timers *event_loop_timers(const event_loop *loop)
{
    (void)loop;
    not_implemented();
}

/* ---- Step 2: try first, then wait ---------------------------------------- */

awaiter event_loop_read(event_loop *loop, int fd, void *buffer, size_t length)
{
    (void)loop;
    (void)fd;
    (void)buffer;
    (void)length;
    not_implemented();
}

awaiter event_loop_write(event_loop *loop, int fd, const void *buffer, size_t length)
{
    (void)loop;
    (void)fd;
    (void)buffer;
    (void)length;
    not_implemented();
}

awaiter event_loop_readable(event_loop *loop, int fd)
{
    (void)loop;
    (void)fd;
    not_implemented();
}

awaiter event_loop_writable(event_loop *loop, int fd)
{
    (void)loop;
    (void)fd;
    not_implemented();
}

/* ---- Step 3: dispatch ---------------------------------------------------- */

int event_loop_run(event_loop *loop)
{
    (void)loop;
    not_implemented();
}

/* ---- Step 5: accept and connect ------------------------------------------ */

awaiter event_loop_accept(event_loop *loop, int listener)
{
    (void)loop;
    (void)listener;
    not_implemented();
}

awaiter event_loop_connect(event_loop *loop, int fd, const struct sockaddr *address,
                           socklen_t length)
{
    (void)loop;
    (void)fd;
    (void)address;
    (void)length;
    not_implemented();
}

/* ---- Step 6: cancel and close -------------------------------------------- */

int event_loop_cancel(event_loop *loop, int fd)
{
    (void)loop;
    (void)fd;
    not_implemented();
}

int event_loop_close(event_loop *loop, int fd)
{
    (void)loop;
    (void)fd;
    not_implemented();
}

/* ---- Step 7: stop -------------------------------------------------------- */

void event_loop_stop(event_loop *loop)
{
    (void)loop;
    not_implemented();
}
