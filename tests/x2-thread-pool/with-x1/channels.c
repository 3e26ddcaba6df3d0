/* channels.c - a channel between coroutines on several workers. */
#include "channel.h"
#include "jobs.h"
#include "lab_test.h"

#include <errno.h>

enum { SENDERS = 3, RECEIVERS = 3, EACH = 1000, SLOTS = 4 };

struct post {
    channel channel;
    atomic_int sending;                   /* senders that have not ended */
    atomic_uint received[SENDERS * EACH]; /* how often, of each */
};

static void sending_body(co_handle frame)
{
    struct job *self = job_enter(frame);
    struct post *post = self->data;

    CO_BEGIN(self);
    for (self->i = 0; self->i < EACH; self->i++) {
        CO_AWAIT(self, self->value, channel_send(&post->channel, self->steps * EACH + self->i));
    }
    if (--post->sending == 0) {
        (void)channel_close(&post->channel);
    }
    CO_END(self);
}

struct receiver {
    struct job job; /* first */
    intptr_t item;
};

static void receiving_body(co_handle frame)
{
    struct receiver *self = (struct receiver *)frame;
    struct job *job = job_enter(frame);
    struct post *post = job->data;

    CO_BEGIN(job);
    for (;;) {
        CO_AWAIT(job, job->value, channel_receive(&post->channel, &self->item));
        if (job->value == -EPIPE) {
            break;
        }
        post->received[self->item]++;
    }
    CO_END(job);
}

LAB_TEST(channel_between_workers)
{
    static struct post post;
    static intptr_t slots[SLOTS];
    thread_pool *pool = new_pool(4);

    channel_init(&post.channel, slots, SLOTS);
    post.sending = SENDERS;
    step("%d tasks send %d numbers each, %d others receive them; 4 workers", SENDERS, EACH,
         RECEIVERS);
    for (int i = 0; i < RECEIVERS; i++) {
        struct receiver *receiver = calloc(1, sizeof *receiver);

        if (receiver == NULL) {
            fail_test("the test itself: no memory");
        }
        receiver->job.data = &post;
        schedule(pool, task_init(&receiver->job.task, "receiver", receiving_body, NULL));
    }
    for (int i = 0; i < SENDERS; i++) {
        struct job *sender = job_create(pool, "sender", NULL, sending_body);

        sender->steps = i;
        sender->data = &post;
        schedule(pool, &sender->task);
    }
    destroy_pool(pool);
    for (int i = 0; i < SENDERS * EACH; i++) {
        expect_int("times an item was received", (intptr_t)post.received[i], 1);
    }
    channel_destroy(&post.channel);
}
