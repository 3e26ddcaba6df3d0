/* threads.c - coroutines that several threads run share a mutex and channels. */
#include "channel.h"
#include "lab_test.h"
#include "mutex.h"
#include "when.h"

#include <errno.h>
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 300, INBOX = 16 };

/* ---- A crew: an executor with several threads, and nothing clever -------- */

/* Each thread resumes whatever is in the inbox, and does not touch it any more: the coroutine may be with
 * another thread before its body has returned on this one. */
struct crew {
    executor executor; /* first */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    co_handle inbox[INBOX]; /* as many as there are coroutines, at most */
    size_t count;
    size_t living; /* coroutines that have not come to their last line */
};

static void crew_schedule(executor *self, co_handle handle)
{
    struct crew *crew = (struct crew *)self;

    (void)pthread_mutex_lock(&crew->lock);
    crew->inbox[crew->count++] = handle;
    (void)pthread_cond_signal(&crew->changed);
    (void)pthread_mutex_unlock(&crew->lock);
}

static void crew_unschedule(executor *self, co_handle handle)
{
    (void)self;
    (void)handle;
}

/* NULL: all have ended. */
static co_handle crew_next(struct crew *crew)
{
    co_handle next = NULL;

    (void)pthread_mutex_lock(&crew->lock);
    while (crew->count == 0 && crew->living > 0) {
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    if (crew->count > 0) {
        next = crew->inbox[0];
        crew->count--;
        for (size_t i = 0; i < crew->count; i++) {
            crew->inbox[i] = crew->inbox[i + 1];
        }
    }
    (void)pthread_mutex_unlock(&crew->lock);
    return next;
}

/* The last thing that a coroutine does. */
static void crew_leave(struct crew *crew)
{
    (void)pthread_mutex_lock(&crew->lock);
    if (--crew->living == 0) {
        (void)pthread_cond_broadcast(&crew->changed);
    }
    (void)pthread_mutex_unlock(&crew->lock);
}

static void *crew_main(void *argument)
{
    co_handle next;

    while ((next = crew_next(argument)) != NULL) {
        next->resume(next);
    }
    return NULL;
}

static void crew_open(struct crew *crew)
{
    *crew = (struct crew){.executor = {.schedule = crew_schedule, .unschedule = crew_unschedule}};
    (void)pthread_mutex_init(&crew->lock, NULL);
    (void)pthread_cond_init(&crew->changed, NULL);
}

/* ---- An awaiter: to the end of the inbox --------------------------------- */

static bool turn_suspend(awaiter *a, co_handle waiter)
{
    a->executor->schedule(a->executor, waiter);
    return true;
}

static intptr_t turn_resume(awaiter *a, co_error *thrown)
{
    (void)a;
    (void)thrown;
    return 0;
}

static awaiter let_others_have_a_turn(void)
{
    static const awaiter_type type = {"turn", co_always_ready, turn_suspend, turn_resume, NULL,
                                      NULL};

    return (awaiter){.type = &type};
}

/* Before the crew runs. */
static void crew_add(struct crew *crew, task *t)
{
    t->at.executor = &crew->executor;
    crew->inbox[crew->count++] = &t->frame;
    crew->living++;
}

static void crew_run(struct crew *crew)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, crew_main, crew) != 0) {
            fail_test("the test itself: no thread");
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)pthread_cond_destroy(&crew->changed);
    (void)pthread_mutex_destroy(&crew->lock);
}

/* ---- A mutex ------------------------------------------------------------- */

struct counting {
    task task;
    struct crew *crew;
    mutex *mutex;
    long *total; /* guarded by the mutex */
    long before;
    int left, errors;
    intptr_t got;
};

static void counting_body(co_handle frame)
{
    struct counting *self = (struct counting *)frame;

    CO_BEGIN(self);
    for (self->left = ROUNDS; self->left > 0; self->left--) {
        CO_AWAIT(self, self->got, mutex_lock(self->mutex));
        self->before = *self->total;
        CO_AWAIT(self, self->task.ignored, let_others_have_a_turn());
        *self->total = self->before + 1; /* right, if nobody else has counted meanwhile */
        if (mutex_unlock(self->mutex, frame) != 0 || self->got != 0) {
            self->errors++;
        }
    }
    crew_leave(self->crew);
    CO_END(self);
}

LAB_TEST(threads_share_a_mutex)
{
    struct counting counting[2 * THREADS];
    struct crew crew;
    long total = 0;
    mutex m;

    mutex_init(&m);
    crew_open(&crew);
    step("%d coroutines count to %d each, under one mutex, on %d threads", 2 * THREADS, ROUNDS,
         THREADS);
    for (int i = 0; i < 2 * THREADS; i++) {
        counting[i] = (struct counting){.crew = &crew, .mutex = &m, .total = &total};
        crew_add(&crew, task_init(&counting[i].task, "counting", counting_body, NULL));
    }
    crew_run(&crew);
    expect_int("what they have counted together", total, 2L * THREADS * ROUNDS);
    for (int i = 0; i < 2 * THREADS; i++) {
        expect_int("errors", counting[i].errors, 0);
    }
    mutex_destroy(&m);
}

/* ---- Channels ------------------------------------------------------------ */

/* Sends its numbers into one of two channels, whichever can take one. */
struct sending {
    task task;
    struct crew *crew;
    channel *a, *b;
    when when;
    when_part either[2];
    intptr_t next, last, which;
    int errors;
};

static void sending_body(co_handle frame)
{
    struct sending *self = (struct sending *)frame;

    CO_BEGIN(self);
    for (; self->next < self->last; self->next++) {
        self->either[0].awaiter = channel_send(self->a, self->next);
        self->either[1].awaiter = channel_send(self->b, self->next);
        CO_AWAIT(self, self->which, when_any(&self->when, self->either, 2));
        if (self->which < 0 || self->either[self->which].value != 0) {
            self->errors++;
        }
    }
    crew_leave(self->crew);
    CO_END(self);
}

/* Receives from one of the two channels, whichever has one, and counts each number. */
struct receiving {
    task task;
    struct crew *crew;
    channel *a, *b;
    when when;
    when_part either[2];
    intptr_t from[2], which;
    int left, errors;
    int seen[THREADS * ROUNDS];
};

static void receiving_body(co_handle frame)
{
    struct receiving *self = (struct receiving *)frame;

    CO_BEGIN(self);
    for (; self->left > 0; self->left--) {
        self->from[0] = self->from[1] = -1;
        self->either[0].awaiter = channel_receive(self->b, &self->from[0]);
        self->either[1].awaiter = channel_receive(self->a, &self->from[1]);
        CO_AWAIT(self, self->which, when_any(&self->when, self->either, 2));
        if (self->which < 0 || self->either[self->which].value != 0 ||
            self->from[1 - self->which] != -1) {
            self->errors++; /* an item that it has not got, or two at once */
        } else {
            self->seen[self->from[self->which]]++;
        }
    }
    crew_leave(self->crew);
    CO_END(self);
}

static void expect_each_once(const struct receiving *receiving)
{
    for (int n = 0; n < THREADS * ROUNDS; n++) {
        int seen = 0;

        for (int i = 0; i < THREADS; i++) {
            seen += receiving[i].seen[n];
        }
        if (seen != 1) {
            fail_test("number %d was received %d times", n, seen);
        }
    }
}

static void exchange(size_t capacity)
{
    struct sending sending[THREADS];
    struct receiving *receiving = calloc(THREADS, sizeof *receiving);
    intptr_t slots[2][2];
    struct crew crew;
    channel a, b;

    channel_init(&a, slots[0], capacity);
    channel_init(&b, slots[1], capacity);
    crew_open(&crew);
    step("%d coroutines send through either of two channels, %d receive, on %d threads; room for "
         "%zu",
         THREADS, THREADS, THREADS, capacity);
    for (int i = 0; i < THREADS; i++) {
        sending[i] = (struct sending){.crew = &crew, .a = &a, .b = &b};
        sending[i].next = (intptr_t)i * ROUNDS;
        sending[i].last = sending[i].next + ROUNDS;
        receiving[i] = (struct receiving){.crew = &crew, .a = &a, .b = &b, .left = ROUNDS};
        crew_add(&crew, task_init(&sending[i].task, "sending", sending_body, NULL));
        crew_add(&crew, task_init(&receiving[i].task, "receiving", receiving_body, NULL));
    }
    crew_run(&crew);
    for (int i = 0; i < THREADS; i++) {
        expect_int("a sender's errors", sending[i].errors, 0);
        expect_int("a receiver's errors", receiving[i].errors, 0);
    }
    expect_each_once(receiving);
    free(receiving);
    channel_destroy(&a);
    channel_destroy(&b);
}

LAB_TEST(threads_share_channels)
{
    exchange(0);
    exchange(2);
}
