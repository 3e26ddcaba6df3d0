/* thread_pool.h - optional lab x2: a scheduler with several threads.
 *
 * N workers, each a thread with a queue of its own; whose queue is empty takes from the common
 * one, or steals from another. A coroutine may be resumed by another worker after each await;
 * never by two at a time. A task is in the pool from thread_pool_schedule or thread_pool_start
 * on until it has ended. What it awaits (task_await) runs in its place, and goes to the end of
 * the queue as all do.
 *
 * All functions may be called by any thread, unless they say otherwise. Functions that can fail
 * return 0 or a negative errno. A task that is in the pool, or that it awaits, is the pool's to
 * touch: nobody else may look at it (task_done, task_get), await it (task_await: -EBUSY), or
 * destroy it (the program is stopped with a sentence) until it was joined, or the pool is gone.
 */
#ifndef THREAD_POOL_H
#define THREAD_POOL_H

#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thread_pool thread_pool;

enum { THREAD_POOL_MOST_WORKERS = 256 };

/* Starts the workers; 0: as many as there are processors. One thread more waits for the timers.
 * NULL with errno set: EINVAL, too many; ENOMEM; EAGAIN, the system gives no more threads. */
thread_pool *thread_pool_create(size_t workers);

/* Waits, asleep, until the pool's work is done: nobody is ready or running, sleeps, or has work
 * off-loaded, and nobody of those starts any more. Then ends the threads. Who still waits then
 * waits for ever: a task that the pool owns is destroyed where it waits; one that was started
 * leaves the pool, and stays its owner's, who can only destroy it. What is released may wake
 * others of this pool meanwhile: in vain, but safely. No other thread may use the pool from this
 * call on. NULL is fine. Returns
 *   0        all tasks had ended
 *   n > 0    so many waited for ever
 *   -EBUSY   called from a coroutine of this pool, or from what it off-loaded */
int thread_pool_destroy(thread_pool *pool);

/* How many workers there are. */
size_t thread_pool_workers(const thread_pool *pool);

/* ---- Into the pool ------------------------------------------------------- */

/* Gives `t` to the pool: queued, run, and destroyed as soon as it ends.
 *   -ENOMEM    t is NULL, which is what a failed creation returns; or there is no memory: then t is
 *              destroyed at once
 *   -EALREADY  it is in this pool
 *   -EINVAL    it has ended
 *   -EBUSY     it is running, waits for something, is awaited, or belongs to another executor
 *   -ECANCELED the pool is being destroyed: asked by what it releases */
int thread_pool_schedule(thread_pool *pool, task *t);

/* Queues `t` and goes on: the text's `parallel`. It stays the caller's, who has to do one of
 * these, once: join it, block on it, detach it, or destroy it when the pool is gone. Errors as
 * above; t stays the caller's then, as it was. */
int thread_pool_start(thread_pool *pool, task *t);

/* Gives a started task to the pool: it is destroyed when it ends; at once, if it has.
 *   -EINVAL  NULL, or it was not started in a pool
 *   -EBUSY   it is the pool's, or somebody joins it */
int thread_pool_detach(task *t);

/* ---- Awaiters, for coroutines of this pool ------------------------------- */

/* To the end of the queue. The value is 0, or without suspending
 *   -EINVAL  the coroutine does not run in this pool */
awaiter thread_pool_yield(thread_pool *pool);

/* Awaits the end of a started task, which may be running on another worker, and consumes it: the
 * value is its value, and what it threw is thrown. If it has ended, does not suspend. That two
 * tasks join each other is not noticed: they wait for ever. Throws, and does not consume the
 * task:
 *   -EINVAL   NULL, or the task was not started in the pool of the awaiting coroutine
 *   -EDEADLK  the task is the awaiting coroutine, or one that awaits it in turn (task_await)
 *   -EBUSY    it was given to the pool, or somebody else joins it */
awaiter thread_pool_join(task *t);

/* Sleeps for `duration` nanoseconds, or until lab_clock_monotonic() (clock.h) says `deadline`.
 * No worker is held up; a pool all of whose threads sleep on later deadlines notices. Zero, a
 * negative duration and a deadline that has passed behave as a yield. The value is 0, or without
 * suspending
 *   -ENOMEM  no room for the sleeper
 *   -EINVAL  the coroutine does not run in this pool */
awaiter thread_pool_sleep_for(thread_pool *pool, int64_t duration);
awaiter thread_pool_sleep_until(thread_pool *pool, int64_t deadline);

/* As many threads at most do what is off-loaded. */
enum { THREAD_POOL_HELPERS = 16 };

/* Calls function(argument), which may block as long as it likes, on a thread that is no worker. The
 * value is what it returns. At most THREAD_POOL_HELPERS calls run at a time, the others wait for
 * their turn. The function must not destroy the pool. Throws, without suspending,
 *   -EINVAL  function is NULL, or the coroutine does not run in this pool
 *   -EAGAIN  the system gives no thread, and there is none yet */
awaiter thread_pool_offload(thread_pool *pool, intptr_t (*function)(void *), void *argument);

/* ---- For normal functions ------------------------------------------------ */

/* Waits, asleep, until `t` has ended, and takes its result: get() from a normal function. A task
 * that is not in the pool is started. Returns 0 with *value (NULL: not wanted) or the code of the
 * error that t threw; t is consumed. (If it waits for ever, so does this: another thread might wake
 * it.) Otherwise t is still the caller's:
 *   -EBUSY   called from a coroutine of this pool, which would hold up its worker; or t is the
 *            pool's, somebody joins it, or it is in another pool
 *   else     as thread_pool_start */
int thread_pool_block_on(thread_pool *pool, task *t, intptr_t *value);

#ifdef __cplusplus
}
#endif

#endif
