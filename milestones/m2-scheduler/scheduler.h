/* scheduler.h - milestone 2: a ready queue, and the loop that runs it.
 *
 * One thread, one scheduler. A coroutine runs until it waits for something; then the next one that
 * is ready gets its turn. Functions that can fail return 0 or a negative errno.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scheduler scheduler;

/* Which ready coroutine is next: the one that has waited longest, or the one that came last. */
typedef enum scheduler_policy { SCHEDULER_FIFO, SCHEDULER_LIFO } scheduler_policy;

/* NULL with errno set: ENOMEM; EINVAL for an unknown policy. */
scheduler *scheduler_create(scheduler_policy policy);

/* Destroys every task that the scheduler owns, wherever it waits, without resuming any, then the
 * scheduler. Tasks that were started leave it and stay their owner's, who can now only destroy
 * them. Call it before destroying what the tasks wait for (timers, event loop). What a task releases
 * may wake others of this scheduler meanwhile: in vain, but safely. NULL is fine.
 *   -EBUSY   the scheduler is running: called from one of its own coroutines */
int scheduler_destroy(scheduler *s);

/* ---- Making coroutines ready --------------------------------------------- */

/* Puts a suspended coroutine, the frame of a task, into the ready queue; if it is not this
 * scheduler's yet, it enters it. Who owned the task still does. Runs nothing.
 *   -EINVAL    NULL, or it has ended
 *   -EBUSY     it is running, waits for something else, or belongs to another executor
 *   -EALREADY  it is in this scheduler's queue
 *   -ENOMEM    no room; nothing has changed */
int scheduler_schedule(scheduler *s, co_handle handle);

/* Gives `t` to the scheduler: it is queued, and destroyed as soon as it ends.
 *   -ENOMEM  t is NULL, which is what a failed creation returns; or t cannot be queued for want of
 *            memory: it is destroyed at once
 *   -EBUSY   as scheduler_schedule; or somebody awaits t, and so owns it
 *   else     as scheduler_schedule, and t stays its owner's */
int scheduler_spawn(scheduler *s, task *t);

/* Queues `t`, which stays the caller's: it runs beside the caller, and is awaited (task_await), read
 * (task_get) and destroyed later. Errors as for scheduler_schedule; -ENOMEM if t is NULL. */
int scheduler_start(scheduler *s, task *t);

/* Awaiter: to the end of the ready queue. Its value is 0, or without suspending
 *   -EINVAL  the coroutine does not run on this scheduler */
awaiter scheduler_yield(scheduler *s);

/* ---- Running ------------------------------------------------------------- */

/* Runs until nothing is ready and nothing is pending. In rounds: a round resumes what was ready
 * when it began, 64 coroutines at most; then the driver gets its turn. So no coroutine, however
 * busy, keeps timers or sockets waiting (nor the others, with SCHEDULER_FIFO), and no resumption is
 * nested in another. (With SCHEDULER_LIFO, who came last is next even within a round; the round is
 * as long as what was ready when it began.)
 * Returns
 *   0        all tasks that entered have ended
 *   n > 0    dead-lock: n coroutines wait, and nobody is left who could wake them
 *   -EBUSY   called from one of its own coroutines
 *   else     the negative value with which the driver ended the run */
int scheduler_run(scheduler *s);

/* Runs until `t` has ended, other coroutines beside it, and takes its result: get() from a normal
 * function. Returns 0 with *value (NULL: not wanted) or the code of the error that t threw; t is
 * consumed. Otherwise t is still the caller's:
 *   -EDEADLK it waits, and nobody is left who could wake it
 *   else     as scheduler_start and scheduler_run (task_done(t) is false) */
int scheduler_block_on(scheduler *s, task *t, intptr_t *value);

/* True while a coroutine is ready or the driver waits for something on behalf of one. */
bool scheduler_has_work(const scheduler *s);

/* Writes one line for each coroutine that has entered and not ended, or that such a one awaits: its
 * name, where it is suspended, what it waits for. Returns their number. out NULL: only counts. */
size_t scheduler_report(const scheduler *s, FILE *out);

/* ---- The two seams ------------------------------------------------------- */

/* Upwards: what wakers call. Lives as long as the scheduler. */
executor *scheduler_executor(scheduler *s);

/* Downwards: what the run loop asks when it has run a round. Milestones 3 and 4 plug in here. */
typedef struct driver driver;
struct driver {
    /* True: some coroutine waits for an event that this driver will see. */
    bool (*pending)(driver *self);
    /* Moves what is due to the ready queue. If may_block, sleeps until something is due, and may
     * return earlier. 0, or a negative value that ends the run. */
    int (*poll)(driver *self, bool may_block);
};

/* Plugs in the driver, in place of the one before; NULL: none. It must outlive its use. */
void scheduler_set_driver(scheduler *s, driver *d);

#ifdef __cplusplus
}
#endif

#endif
