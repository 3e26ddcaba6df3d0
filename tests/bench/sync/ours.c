/* sync: mutex COROUTINES COUNT, or channel CAPACITY COUNT. Nanoseconds of one of COUNT
 *   - turns with a mutex that all the others wait for: lock, a yield while it is held, unlock
 *   - items that go through a channel with room for CAPACITY, from one coroutine to another.
 */
#include "channel.h"
#include "measure.h"
#include "mutex.h"
#include "scheduler.h"

#include <string.h>

static scheduler *s;

/* ---- Mutex ----------------------------------------------------------------- */

static mutex guarded;
static long turns;

struct holder {
    task task;
    long left;
};

static void holder_body(co_handle frame)
{
    struct holder *self = (struct holder *)frame;

    CO_BEGIN(self);
    for (; self->left > 0; self->left--) {
        CO_AWAIT(self, self->task.ignored, mutex_lock(&guarded));
        turns++;
        CO_AWAIT(self, self->task.ignored, scheduler_yield(s));
        (void)mutex_unlock(&guarded, frame);
    }
    CO_END(self);
}

static long hand_over(long coroutines, long count)
{
    mutex_init(&guarded);
    for (long i = 0; i < coroutines; i++) {
        struct holder *self = allocate(sizeof *self);

        self->left = count / coroutines;
        (void)scheduler_spawn(s, task_init(&self->task, "holder", holder_body, NULL));
    }
    (void)scheduler_run(s);
    mutex_destroy(&guarded);
    return turns;
}

/* ---- Channel --------------------------------------------------------------- */

static channel items;
static long received;

struct sender {
    task task;
    long left;
};

static void sender_body(co_handle frame)
{
    struct sender *self = (struct sender *)frame;

    CO_BEGIN(self);
    for (; self->left > 0; self->left--) {
        CO_AWAIT(self, self->task.ignored, channel_send(&items, self->left));
    }
    (void)channel_close(&items);
    CO_END(self);
}

struct receiver {
    task task;
    intptr_t item, result;
};

static void receiver_body(co_handle frame)
{
    struct receiver *self = (struct receiver *)frame;

    CO_BEGIN(self);
    for (;;) {
        CO_AWAIT(self, self->result, channel_receive(&items, &self->item));
        if (self->result != 0) {
            break;
        }
        received++;
    }
    CO_END(self);
}

static long pass_on(long capacity, long count)
{
    intptr_t *slots = allocate((size_t)capacity * sizeof *slots);
    struct sender *from = allocate(sizeof *from);
    struct receiver *to = allocate(sizeof *to);

    channel_init(&items, slots, (size_t)capacity);
    from->left = count;
    (void)scheduler_spawn(s, task_init(&from->task, "sender", sender_body, NULL));
    (void)scheduler_spawn(s, task_init(&to->task, "receiver", receiver_body, NULL));
    (void)scheduler_run(s);
    channel_destroy(&items);
    free(slots);
    return received;
}

int main(int argc, char **argv)
{
    bool is_mutex = argc > 1 && strcmp(argv[1], "mutex") == 0;
    long first = argument(argc, argv, 2), count = argument(argc, argv, 3);
    int64_t began;
    long done;

    s = scheduler_create(SCHEDULER_FIFO);
    began = processor_ns();
    done = is_mutex ? hand_over(first, count) : pass_on(first, count);
    report_each(processor_ns() - began, done);
    (void)scheduler_destroy(s);
    return 0;
}
