/* actors.c - coroutines of a line or two. */
#include "actors.h"

#include "lab_test.h"

#include <errno.h>
#include <string.h>

enum { NAME_SIZE = 16 };

static void *frame_of(size_t size)
{
    void *frame = calloc(1, size);

    if (frame == NULL) {
        fail_test("the test itself: no memory");
    }
    return frame;
}

/* ---- One await ----------------------------------------------------------- */

struct one {
    task task;
    struct sync_lab *lab;
    char name[NAME_SIZE];
    awaiter awaiter;
    struct outcome *out;
    intptr_t value;
    co_error error;
};

static void trace_outcome(const char *name, intptr_t value, int code)
{
    intptr_t failure = code != 0 ? code : value;

    if (failure < 0) {
        trace("%s:%s", name, strerrorname_np((int)-failure));
    } else if (code != 0) {
        trace("%s:%d", name, code);
    } else {
        trace("%s", name);
    }
}

static void one_body(co_handle frame)
{
    struct one *self = (struct one *)frame;

    CO_BEGIN(self);
    CO_TRY_AWAIT(self, self->value, self->error, self->awaiter);
    trace_outcome(self->name, self->value, self->error.code);
    if (self->out != NULL) {
        *self->out = (struct outcome){true, self->value, self->error, self->lab->v.time};
    }
    CO_END(self);
}

task *awaits(struct sync_lab *lab, const char *name, awaiter a, struct outcome *o)
{
    struct one *self = frame_of(sizeof *self);

    self->lab = lab;
    (void)snprintf(self->name, sizeof self->name, "%s", name);
    self->awaiter = a;
    self->out = o;
    if (o != NULL) {
        *o = (struct outcome){.over = false};
    }
    return task_init(&self->task, "one", one_body, NULL);
}

void expect_outcome(const char *what, const struct outcome *o, intptr_t value)
{
    if (!o->over) {
        fail_test("%s still waits", what);
    }
    if (o->error.code != 0) {
        fail_test("%s has thrown: %s (%d)", what, o->error.what, o->error.code);
    }
    expect_int(what, o->value, value);
}

void expect_waiting(const char *what, const struct outcome *o)
{
    if (o->over) {
        fail_test("%s went on, with the value %ld", what, (long)o->value);
    }
}

/* ---- Sleeping ------------------------------------------------------------ */

struct holder {
    task task;
    struct sync_lab *lab;
    char name[NAME_SIZE];
    mutex *mutex;
    int64_t before, during;
    intptr_t got;
};

static void holder_body(co_handle frame)
{
    struct holder *self = (struct holder *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, self->before));
    CO_AWAIT(self, self->got, mutex_lock(self->mutex));
    expect_int("the await of mutex_lock(m)", self->got, 0);
    trace("%s", self->name);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, self->during));
    expect_int("mutex_unlock(m, self)", mutex_unlock(self->mutex, frame), 0);
    CO_END(self);
}

task *holder(struct sync_lab *lab, const char *name, mutex *m, int64_t before, int64_t during)
{
    struct holder *self = frame_of(sizeof *self);

    self->lab = lab;
    (void)snprintf(self->name, sizeof self->name, "%s", name);
    self->mutex = m;
    self->before = before;
    self->during = during;
    return task_init(&self->task, "holder", holder_body, NULL);
}

task *sleeper(struct sync_lab *lab, const char *name, int64_t duration)
{
    return awaits(lab, name, sleep_for(lab->t, duration), NULL);
}

struct worker {
    task task;
    struct sync_lab *lab;
    char name[NAME_SIZE];
    int64_t duration;
    intptr_t value;
    int code;
};

static void worker_body(co_handle frame)
{
    struct worker *self = (struct worker *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, self->duration));
    trace("%s", self->name);
    if (self->code != 0) {
        CO_THROW(self, self->code, "the worker failed");
    }
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *worker(struct sync_lab *lab, const char *name, int64_t duration, intptr_t value, int code)
{
    struct worker *self = frame_of(sizeof *self);

    self->lab = lab;
    (void)snprintf(self->name, sizeof self->name, "%s", name);
    self->duration = duration;
    self->value = value;
    self->code = code;
    return task_init(&self->task, "worker", worker_body, NULL);
}

/* ---- Channels ------------------------------------------------------------ */

struct porter {
    task task;
    char name[NAME_SIZE];
    channel *channel;
    intptr_t item, result;
    int left;
};

static void sender_body(co_handle frame)
{
    struct porter *self = (struct porter *)frame;

    CO_BEGIN(self);
    for (; self->left > 0; self->left--) {
        CO_AWAIT(self, self->result, channel_send(self->channel, self->item++));
        expect_int("the await of channel_send(c, item)", self->result, 0);
    }
    trace("%s!", self->name);
    CO_END(self);
}

static void receiver_body(co_handle frame)
{
    struct porter *self = (struct porter *)frame;

    CO_BEGIN(self);
    for (;;) {
        CO_AWAIT(self, self->result, channel_receive(self->channel, &self->item));
        if (self->result < 0) {
            break;
        }
        trace("%s:%ld", self->name, (long)self->item);
    }
    expect_int("the last await of channel_receive(c, &item)", self->result, -EPIPE);
    trace("%s:closed", self->name);
    CO_END(self);
}

static task *porter(const char *name, channel *c, void (*body)(co_handle), intptr_t item, int left)
{
    struct porter *self = frame_of(sizeof *self);

    (void)snprintf(self->name, sizeof self->name, "%s", name);
    self->channel = c;
    self->item = item;
    self->left = left;
    return task_init(&self->task, "porter", body, NULL);
}

task *sender(const char *name, channel *c, intptr_t first, int count)
{
    return porter(name, c, sender_body, first, count);
}

task *receiver(const char *name, channel *c)
{
    return porter(name, c, receiver_body, 0, 0);
}
