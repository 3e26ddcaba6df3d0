/* transfers.c - coroutines that read and write, and trace what came of it. */
#include "transfers.h"

#include "lab_test.h"

#include <errno.h>
#include <string.h>

struct transfer {
    task task;
    struct loop_lab *lab;
    const char *name;
    int fd;
    char *buffer;
    size_t done, length, chunk;
    intptr_t value;
    awaiter what;
    char small[64];
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct transfer *new_transfer(struct loop_lab *lab, const char *name, int fd)
{
    struct transfer *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->name = name;
    self->fd = fd;
    return self;
}

static void trace_result(const struct transfer *self)
{
    if (self->value > 0) {
        trace("%s:%.*s", self->name, (int)self->value, self->small);
    } else if (self->value == 0) {
        trace("%s:end", self->name);
    } else {
        trace("%s:%s", self->name, strerrorname_np((int)-self->value));
    }
}

static void reader_body(co_handle frame)
{
    struct transfer *self = (struct transfer *)frame;

    CO_BEGIN(self);
    do {
        CO_AWAIT(self, self->value,
                 event_loop_read(self->lab->loop, self->fd, self->small,
                                 smaller(self->chunk, self->length - self->done)));
        trace_result(self);
        self->done += self->value > 0 ? (size_t)self->value : 0;
    } while (self->value > 0 && self->done < self->length);
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *reader(struct loop_lab *lab, const char *name, int fd, size_t chunk, size_t total)
{
    struct transfer *self = new_transfer(lab, name, fd);

    self->chunk = smaller(chunk, sizeof self->small);
    self->length = total;
    return task_init(&self->task, "reader", reader_body, NULL);
}

static void bulk_body(co_handle frame, bool out)
{
    struct transfer *self = (struct transfer *)frame;

    CO_BEGIN(self);
    while (self->done < self->length) {
        if (out) {
            CO_AWAIT(self, self->value,
                     event_loop_write(self->lab->loop, self->fd, self->buffer + self->done,
                                      smaller(self->chunk, self->length - self->done)));
        } else {
            CO_AWAIT(self, self->value,
                     event_loop_read(self->lab->loop, self->fd, self->buffer + self->done,
                                     smaller(self->chunk, self->length - self->done)));
        }
        if (self->value <= 0) {
            CO_THROW(self, self->value == 0 ? -EPIPE : (int)self->value, "a transfer failed");
        }
        self->done += (size_t)self->value;
    }
    CO_END(self);
}

static void bulk_reader_body(co_handle frame)
{
    bulk_body(frame, false);
}

static void bulk_writer_body(co_handle frame)
{
    bulk_body(frame, true);
}

task *bulk_reader(struct loop_lab *lab, int fd, char *buffer, size_t length, size_t chunk)
{
    struct transfer *self = new_transfer(lab, "bulk", fd);

    self->buffer = buffer;
    self->length = length;
    self->chunk = chunk;
    return task_init(&self->task, "bulk_reader", bulk_reader_body, NULL);
}

task *bulk_writer(struct loop_lab *lab, int fd, const char *buffer, size_t length, size_t chunk)
{
    struct transfer *self = new_transfer(lab, "bulk", fd);

    self->buffer = (char *)(uintptr_t)buffer;
    self->length = length;
    self->chunk = chunk;
    return task_init(&self->task, "bulk_writer", bulk_writer_body, NULL);
}

static void writer_body(co_handle frame)
{
    struct transfer *self = (struct transfer *)frame;

    CO_BEGIN(self);
    while (self->done < self->length) {
        CO_AWAIT(self, self->value,
                 event_loop_write(self->lab->loop, self->fd, self->buffer + self->done,
                                  self->length - self->done));
        if (self->value <= 0) {
            trace_result(self);
            CO_RETURN(self, self->value);
        }
        self->done += (size_t)self->value;
    }
    trace("%s:done", self->name);
    CO_END(self);
}

task *writer(struct loop_lab *lab, const char *name, int fd, const char *text)
{
    struct transfer *self = new_transfer(lab, name, fd);

    self->buffer = (char *)(uintptr_t)text;
    self->length = strlen(text);
    return task_init(&self->task, "writer", writer_body, NULL);
}

static void awaiting_body(co_handle frame)
{
    struct transfer *self = (struct transfer *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, self->what);
    if (self->value < 0) {
        trace("%s:%s@%g", self->name, strerrorname_np((int)-self->value),
              (double)self->lab->v.time / 1e6);
    } else {
        trace("%s:%d@%g", self->name, (int)self->value, (double)self->lab->v.time / 1e6);
    }
    CO_RETURN(self, self->value);
    CO_END(self);
}

task *awaiting(struct loop_lab *lab, const char *name, awaiter what)
{
    struct transfer *self = new_transfer(lab, name, -1);

    self->what = what;
    return task_init(&self->task, "awaiting", awaiting_body, NULL);
}

void fill_pattern(char *buffer, size_t length, unsigned seed)
{
    uint32_t x = seed * 2654435761u + 1;

    for (size_t i = 0; i < length; i++) {
        x = x * 1664525u + 1013904223u;
        buffer[i] = (char)(x >> 24);
    }
}
