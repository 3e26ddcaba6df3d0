/* file_joiner.c - "files" that take 50, 60 and 70 ms to come are joined by one worker in 70 ms, for a timer
 * holds up no worker. A missing one throws, which is caught.
 */
#include "clock.h"
#include "thread_pool.h"

#include <errno.h>

enum { FILES = 3 };

static const struct file {
    const char *content; /* NULL: it is missing */
    int64_t takes;
} files[FILES] = {
    {"content a", MILLISECONDS(50)},
    {"content b", MILLISECONDS(60)},
    {"content c", MILLISECONDS(70)},
};
static const struct file missing = {NULL, MILLISECONDS(10)};

struct reading {
    task task; /* first: the frame */
    thread_pool *pool;
    const struct file *file;
};

static void reading_body(co_handle frame)
{
    struct reading *self = (struct reading *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, thread_pool_sleep_for(self->pool, self->file->takes));
    if (self->file->content == NULL) {
        CO_THROW(self, -ENOENT, "no such file");
    }
    CO_RETURN(self, (intptr_t)self->file->content);
    CO_END(self);
}

static task *reading(thread_pool *pool, const struct file *file)
{
    struct reading *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->pool = pool;
    self->file = file;
    return task_init(&self->task, "reading", reading_body, NULL);
}

struct joiner {
    task task; /* first: the frame */
    thread_pool *pool;
    struct task *readings[FILES];
    intptr_t content;
    co_error error;
    int i;
};

static void join_body(co_handle frame)
{
    struct joiner *self = (struct joiner *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < FILES; self->i++) {
        self->readings[self->i] = reading(self->pool, &files[self->i]);
        (void)thread_pool_start(self->pool, self->readings[self->i]);
    }
    for (self->i = 0; self->i < FILES; self->i++) {
        CO_AWAIT(self, self->content, thread_pool_join(task_take(&self->readings[self->i])));
        (void)printf("%s%s", (const char *)self->content, self->i < FILES - 1 ? "," : "\n");
    }
    CO_END(self);
}

static void catch_body(co_handle frame)
{
    struct joiner *self = (struct joiner *)frame;

    CO_BEGIN(self);
    CO_TRY_AWAIT(self, self->content, self->error, task_await(reading(self->pool, &missing)));
    (void)printf("%s\n", self->error.code == 0 ? "it was there" : self->error.what);
    CO_END(self);
}

static task *joiner(void (*body)(co_handle), thread_pool *pool)
{
    struct joiner *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->pool = pool;
    return task_init(&self->task, "joiner", body, NULL);
}

static int64_t now(void)
{
    return lab_clock_monotonic()->now(lab_clock_monotonic());
}

int main(void)
{
    thread_pool *pool = thread_pool_create(1);
    int64_t begin = now(), taken;

    (void)thread_pool_block_on(pool, joiner(join_body, pool), NULL);
    taken = now() - begin;
    (void)thread_pool_block_on(pool, joiner(catch_body, pool), NULL);
    (void)thread_pool_destroy(pool);
    return taken >= MILLISECONDS(70) && taken < MILLISECONDS(10000) ? 0 : 1;
}
