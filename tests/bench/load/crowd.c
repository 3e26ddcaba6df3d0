/* crowd.c - starts workers and awaits them all. */
#include "crowd.h"

struct crowd {
    task task;
    scheduler *scheduler;
    void (*body)(co_handle);
    long count, first, end, i;
    intptr_t n;
    task *workers[];
};

static task *start_worker(const struct crowd *self, long number)
{
    struct worker *worker = calloc(1, sizeof *worker);

    if (worker == NULL) {
        return NULL;
    }
    worker->next = self->first + number;
    worker->end = self->end;
    worker->step = self->count;
    (void)task_init(&worker->task, "worker", self->body, NULL);
    (void)scheduler_start(self->scheduler, &worker->task);
    return &worker->task;
}

static void crowd_body(co_handle frame)
{
    struct crowd *self = (struct crowd *)frame;

    CO_BEGIN(self);
    for (self->i = 0; self->i < self->count; self->i++) {
        self->workers[self->i] = start_worker(self, self->i);
    }
    for (self->i = 0; self->i < self->count; self->i++) {
        CO_AWAIT(self, self->n, task_await(task_take(&self->workers[self->i])));
    }
    CO_END(self);
}

static void release_crowd(co_handle frame)
{
    struct crowd *self = (struct crowd *)frame;

    for (long i = 0; i < self->count; i++) {
        (void)task_destroy(self->workers[i]);
    }
    free(self);
}

task *crowd(scheduler *s, void (*body)(co_handle), long count, long first, long end)
{
    struct crowd *self = calloc(1, sizeof *self + (size_t)count * sizeof self->workers[0]);

    if (self == NULL) {
        return NULL;
    }
    self->scheduler = s;
    self->body = body;
    self->count = count;
    self->first = first;
    self->end = end;
    return task_init(&self->task, "crowd", crowd_body, release_crowd);
}
