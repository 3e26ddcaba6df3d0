/* event_loop.h - milestone 4: waiting for file descriptors, on epoll.
 *
 * The loop is the driver of one scheduler; timers and ready queue turn in the same loop. An
 * operation that need not wait does not. A descriptor may be set to non-blocking, and stays
 * registered with epoll (in the reference: once, edge-triggered) when nobody waits: so close it
 * with event_loop_close, not with close(2).
 *
 * The value of an I/O await is what the system call returns, or a negative errno; nothing is
 * thrown. Besides the call's own errors that is
 *   -ECANCELED  the descriptor was closed or cancelled here, or the loop destroyed, meanwhile
 *   -EINVAL     the coroutine has no executor that could wake it
 *   -ENOMEM     no room to wait
 * EINTR and EAGAIN are dealt with inside. Readers of one descriptor are served in the order in
 * which they came, and so are writers; a reader and a writer do not disturb each other. After 16
 * operations in a row that did not have to wait, a coroutine goes to the end of the ready queue.
 */
#ifndef EVENT_LOOP_H
#define EVENT_LOOP_H

#include "timers.h"

#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct event_loop event_loop;

/* Options of event_loop_create. */
enum { EVENT_LOOP_LEVEL_TRIGGERED = 1 }; /* register for what is awaited only, level-triggered */

/* Creates a loop and plugs it into `s` as its driver. It serves `t`, too, which must outlive it;
 * NULL: no timers. NULL with errno set: ENOMEM, EMFILE, ENFILE; EINVAL for an unknown option. */
event_loop *event_loop_create(scheduler *s, timers *t, unsigned options);

/* Wakes whoever still waits here with -ECANCELED and closes the loop's own descriptors, not those
 * that were awaited. Destroy the scheduler before, for its coroutines use the loop to their end;
 * one that is to run again needs another driver. NULL is fine. */
void event_loop_destroy(event_loop *loop);

/* What it was created with. */
scheduler *event_loop_scheduler(const event_loop *loop);
timers *event_loop_timers(const event_loop *loop);

/* ---- Awaiters ------------------------------------------------------------ */

/* Up to `length` bytes, at least one; 0 at the end of the stream. `buffer` must live until then. */
awaiter event_loop_read(event_loop *loop, int fd, void *buffer, size_t length);

/* Writes at least one byte of `length`, perhaps not all. A peer that is gone gives -EPIPE on a
 * socket, without a signal; for pipes, ignore SIGPIPE. */
awaiter event_loop_write(event_loop *loop, int fd, const void *buffer, size_t length);

/* Waits until fd can be read (data, end of stream, or an error to fetch) or written; the value is
 * 0. For those who want no buffer while they wait. */
awaiter event_loop_readable(event_loop *loop, int fd);
awaiter event_loop_writable(event_loop *loop, int fd);

/* The next connection: a new descriptor, non-blocking and close-on-exec, the caller's to close. */
awaiter event_loop_accept(event_loop *loop, int listener);

/* Connects the socket `fd`; 0 once it is established. `address` must live until then. A local
 * (AF_UNIX) socket whose listener's queue is full gives -EAGAIN: there is no event to wait for. */
awaiter event_loop_connect(event_loop *loop, int fd, const struct sockaddr *address,
                           socklen_t length);

/* ---- Ending a wait ------------------------------------------------------- */

/* Wakes every coroutine that waits for fd, with -ECANCELED. 0, or -EBADF if fd is negative. */
int event_loop_cancel(event_loop *loop, int fd);

/* Cancels, forgets and closes fd: no event of it reaches whoever gets that number next.
 * 0, or the negative errno of close(2). */
int event_loop_close(event_loop *loop, int fd);

/* ---- Running ------------------------------------------------------------- */

/* Runs the scheduler until nothing is left to do, or until event_loop_stop. Sleeps in the kernel
 * while nothing is ready. Returns as scheduler_run does; 0 after a stop. May be called again; inside
 * a run it gives -EBUSY, and takes no stop from that run. */
int event_loop_run(event_loop *loop);

/* Makes event_loop_run return after the round that runs now; a call before the run counts for the
 * next one, and one that comes too late to end anything is forgotten. Safe from any thread and from
 * a signal handler. */
void event_loop_stop(event_loop *loop);

#ifdef __cplusplus
}
#endif

#endif
