/* recorder.c - see recorder.h. */
#include "recorder.h"
#include "lab_test.h"

static void record_schedule(executor *self, co_handle handle)
{
    struct recorder *r = (struct recorder *)self;
    task *t = (task *)handle;

    r->scheduled++;
    if (handle == NULL || handle->resume == NULL) {
        fail_test("schedule was called with %s",
                  handle == NULL ? "NULL" : "a coroutine that has ended");
    }
    if (recorder_is_ready(r, t)) {
        fail_test("schedule was called for \"%s\", which is ready already", t->name);
    }
    if (r->count == RECORDER_ROOM) {
        fail_test("the test itself: more than %d coroutines are ready", RECORDER_ROOM);
    }
    if (t->at.executor != self) {
        fail_test("schedule was called for \"%s\", but its at.executor is %s", t->name,
                  t->at.executor == NULL ? "NULL" : "another one");
    }
    r->ready[r->count++] = handle;
}

static void remove_at(struct recorder *r, size_t i)
{
    for (r->count--; i < r->count; i++) {
        r->ready[i] = r->ready[i + 1];
    }
}

static void record_unschedule(executor *self, co_handle handle)
{
    struct recorder *r = (struct recorder *)self;
    size_t i;

    r->unscheduled++;
    r->unscheduled_last = handle;
    for (i = 0; i < r->count; i++) {
        if (r->ready[i] == handle) {
            remove_at(r, i);
            return;
        }
    }
}

void recorder_init(struct recorder *r)
{
    *r = (struct recorder){.executor = {record_schedule, record_unschedule}};
}

void recorder_start(struct recorder *r, task *t)
{
    t->at.executor = &r->executor;
    record_schedule(&r->executor, &t->frame);
}

co_handle recorder_resume(struct recorder *r)
{
    co_handle handle;

    if (r->count == 0) {
        return NULL;
    }
    handle = r->ready[0];
    remove_at(r, 0);
    handle->resume(handle);
    return handle;
}

unsigned recorder_run(struct recorder *r)
{
    unsigned count = 0;

    while (recorder_resume(r) != NULL) {
        if (++count > 1000) {
            fail_test("coroutines make each other ready for ever");
        }
    }
    return count;
}

bool recorder_is_ready(const struct recorder *r, const task *t)
{
    size_t i;

    for (i = 0; i < r->count; i++) {
        if (r->ready[i] == &t->frame) {
            return true;
        }
    }
    return false;
}
