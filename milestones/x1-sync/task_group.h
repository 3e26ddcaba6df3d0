/* task_group.h - x1: structured concurrency: tasks that do not outlive the place where they are started.
 *
 *     task_group_init(&self->group, self->scheduler);
 *     (void)task_group_spawn(&self->group, fetch("a"));
 *     (void)task_group_spawn(&self->group, fetch("b"));
 *     CO_AWAIT(self, self->task.ignored, task_group_wait(&self->group));
 *
 * The group owns its tasks. When one fails, the others are cancelled (destroyed where they wait), and its
 * error comes out at the wait. When the group goes, what is left of it goes: call task_group_release in the
 * release function of the frame that the group is in.
 *
 * A group, its tasks and who waits for it belong to one scheduler, and so to one thread: a coroutine can
 * only be destroyed where no other thread can be running it.
 */
#ifndef TASK_GROUP_H
#define TASK_GROUP_H

#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

struct group_member;

typedef struct task_group {
    struct scheduler *scheduler;
    struct group_member *first, *last; /* its tasks, in the order in which they came */
    awaiter *waiter;                   /* who waits for it; NULL: nobody */
    bool cancelled;                    /* nothing can be spawned any more */
    struct co_error error;             /* the first; code 0: none yet */
    bool error_taken;                  /* it came out at a wait */

    /* While its tasks are being destroyed. */
    struct group_member *spared; /* the one that is running, or has it below it */
    struct task_group *outer;    /* where to go on */
    struct group_member *owner;  /* whose group it is, among the tasks of `outer` */
} task_group;

/* An empty group, whose tasks run on `s`. The memory is the caller's. */
void task_group_init(task_group *g, scheduler *s);

/* Gives `t` to the group: queued, and destroyed as soon as it ends. Its value is lost. Also for the group's own
 * tasks.
 *   -ENOMEM     t is NULL, which is what a failed creation returns; or there is no memory: t is
 *               destroyed at once
 *   -ECANCELED  the group was cancelled, or one of its tasks has failed: t is destroyed at once
 *   -EBUSY      it is running, or somebody awaits or owns it; t stays its owner's */
int task_group_spawn(task_group *g, task *t);

/* Awaiter: until the group has no tasks any more; if it has none, the coroutine does not suspend.
 * Throws the error of the task that failed first. The value is 0, or
 *   -EBUSY      somebody else waits for it
 *   -EINVAL     there are tasks, and the coroutine has no executor that could wake it
 *   -ECANCELED  the group was cancelled, or the coroutine resumed by hand */
awaiter task_group_wait(task_group *g);

/* Destroys the group's tasks, with all that they await, where they wait. Who waits for the group goes on.
 *   -EBUSY  called from inside one of them: that one is left, and goes on to its end */
int task_group_cancel(task_group *g);

/* The same, as the last use of the group. An error that came out nowhere is reported, as that of a task that nobody
 * awaits. A group with all bits zero is fine, too, and so is to call it twice. */
void task_group_release(task_group *g);

/* How many tasks it has. */
size_t task_group_count(const task_group *g);

#ifdef __cplusplus
}
#endif

#endif
