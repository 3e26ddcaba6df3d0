/* parking.h - x2, from inside: where workers sleep that find nothing to do.
 *
 * Asleep in the kernel: no looking around now and then, and no spinning. So nobody may ever go to
 * sleep while there is work, and not be woken:
 *
 *     who brings work:     1. puts it into a queue     2. looks whether anybody sleeps: wakes one
 *     who wants to sleep:  1. says that he sleeps      2. looks once more into all queues
 *
 * Each writes first and looks then. If the four are in one order for all threads, at least one of
 * them sees what the other wrote. That is what memory_order_seq_cst means, and nothing less will
 * do: without it both may look before they write.
 */
#ifndef PARKING_H
#define PARKING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A worker's bed. */
struct sleeper {
    pthread_cond_t wake;
    bool woken;
    struct sleeper *next; /* who lay down before, and still sleeps */
};

struct parking {
    pthread_mutex_t lock; /* of all below, and of the sleepers */
    struct sleeper *asleep;
    atomic_size_t count; /* how many are asleep: changed under the lock, read without it */
    size_t workers;      /* how many there are */
    bool draining;       /* parking_drain waits */
    bool closed;
    pthread_cond_t quiet; /* all are asleep, and it is draining */
};

/* What a parking asks of the pool that it serves, with its lock held. */
typedef bool parking_question(void *pool);

void parking_init(struct parking *p, size_t workers);
void parking_destroy(struct parking *p);
void sleeper_init(struct sleeper *s);
void sleeper_destroy(struct sleeper *s);

/* Sleeps until parking_wake_one chooses this worker. If is_work_left(pool), asked when it counts
 * as asleep already, returns at once. True: go and look for work. False: the parking is closed,
 * end. */
bool parking_sleep(struct parking *p, struct sleeper *self, parking_question *is_work_left,
                   void *pool);

/* Wakes the worker that has slept the shortest, if any sleeps. Called twice, it wakes two. To be
 * called after work was put into a queue, with memory_order_seq_cst. Costs one load if nobody
 * sleeps. */
void parking_wake_one(struct parking *p);

/* Waits until all workers are asleep, and is_quiet(pool). Then closes: all wake up, and end. */
void parking_drain(struct parking *p, parking_question *is_quiet, void *pool);

/* Closes without waiting. */
void parking_close(struct parking *p);

#endif
