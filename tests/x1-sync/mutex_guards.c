/* mutex_guards.c - a guard unlocks once, whatever happens to its frame. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>

struct guarded {
    task task;
    struct sync_lab *lab;
    mutex *mutex, *second;
    mutex_guard guard;
    int64_t during;
    int code; /* not 0: it throws that while it holds the mutex */
    intptr_t got, again;
    int *released;
};

static void guarded_body(co_handle frame)
{
    struct guarded *self = (struct guarded *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->got, mutex_guard_lock(&self->guard, self->mutex));
    expect_int("the await of mutex_guard_lock(g, m)", self->got, 0);
    trace("%s", "locked");
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, self->during));
    if (self->code != 0) {
        CO_THROW(self, self->code, "while it holds the mutex");
    }
    if (self->second != NULL) {
        CO_AWAIT(self, self->again, mutex_guard_lock(&self->guard, self->second));
        expect_int("the await of mutex_guard_lock(g, another)", self->again, -EBUSY);
    }
    mutex_guard_release(&self->guard);
    trace("%s", "released");
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, self->during));
    CO_END(self);
}

static void guarded_release(co_handle frame)
{
    struct guarded *self = (struct guarded *)frame;

    mutex_guard_release(&self->guard);
    if (self->released != NULL) {
        ++*self->released;
    }
    free(self);
}

static struct guarded *guarded(struct sync_lab *lab, mutex *m)
{
    struct guarded *self = calloc(1, sizeof *self);

    self->lab = lab;
    self->mutex = m;
    self->during = MILLISECONDS(10);
    task_init(&self->task, "guarded", guarded_body, guarded_release);
    return self;
}

LAB_TEST(guard_releases)
{
    struct sync_lab lab;
    struct guarded *g;
    struct outcome o;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    step("a guard holds the mutex for 10 ms, and then lives on for 10 ms more; B waits for the "
         "mutex");
    g = guarded(&lab, &m);
    spawn(&lab, &g->task);
    spawn(&lab, awaits(&lab, "B", mutex_lock(&m), &o));
    run_all(&lab);
    expect_outcome("B's await", &o, 0);
    expect_time("when B went on", o.time, MILLISECONDS(10), MILLISECONDS(10));
    expect_trace("locked released B");
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(guard_releases_once)
{
    struct sync_lab lab;
    struct outcome o, late;
    struct guarded *g;
    task *b;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    g = guarded(&lab, &m);
    start(&lab, &g->task);
    b = start(&lab, awaits(&lab, "B", mutex_lock(&m), &o));
    spawn(&lab, awaits(&lab, "C", mutex_lock(&m), &late));
    run_ready(&lab);
    step("release the guard: B has the mutex; release it again, and once more with its frame");
    mutex_guard_release(&g->guard);
    mutex_guard_release(&g->guard);
    run_ready(&lab);
    destroy(&g->task);
    run_ready(&lab);
    expect_outcome("B's await", &o, 0);
    step("it is still B's");
    expect_waiting("C", &late);
    expect_int("mutex_unlock(m, B)", mutex_unlock(&m, &b->frame), 0);
    run_ready(&lab);
    expect_outcome("C's await", &late, 0);
    destroy(b);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(guard_goes_with_its_frame_holding)
{
    struct sync_lab lab;
    struct outcome o;
    struct guarded *g;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    g = guarded(&lab, &m);
    start(&lab, &g->task);
    spawn(&lab, awaits(&lab, "B", mutex_lock(&m), &o));
    run_ready(&lab);
    expect_trace("locked");
    step("destroy the coroutine in the middle of what it guards");
    destroy(&g->task);
    run_ready(&lab);
    expect_outcome("B's await", &o, 0);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(guard_goes_with_its_frame_waiting)
{
    struct sync_lab lab;
    struct outcome o;
    struct co_frame owner;
    struct guarded *g, *h;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    expect_int("mutex_try_lock(m, owner)", mutex_try_lock(&m, &owner), 0);
    g = guarded(&lab, &m);
    start(&lab, &g->task);
    h = guarded(&lab, &m);
    start(&lab, &h->task);
    spawn(&lab, awaits(&lab, "C", mutex_lock(&m), &o));
    run_ready(&lab);
    step("three wait; destroy the first one");
    destroy(&g->task);
    expect_int("mutex_try_lock(m, another): it is the owner's as before",
               mutex_try_lock(&m, &h->task.frame), -EBUSY);
    step("hand the mutex to the second one, and destroy that before it has run");
    expect_int("mutex_unlock(m, owner)", mutex_unlock(&m, &owner), 0);
    destroy(&h->task);
    run_ready(&lab);
    step("the third one has got it");
    expect_outcome("C's await", &o, 0);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(guard_goes_with_an_error)
{
    struct sync_lab lab;
    struct outcome o, parent;
    struct guarded *g;
    int released = 0;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    step("a child throws while its guard holds the mutex; its parent awaits it");
    g = guarded(&lab, &m);
    g->code = -EIO;
    g->released = &released;
    spawn(&lab, awaits(&lab, "P", task_await(&g->task), &parent));
    run_ready(&lab);
    spawn(&lab, awaits(&lab, "B", mutex_lock(&m), &o));
    run_all(&lab);
    expect_int("the parent's error", parent.error.code, -EIO);
    expect_int("how often the frame was released", released, 1);
    expect_outcome("B's await", &o, 0);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(guard_holds_one)
{
    struct sync_lab lab;
    struct co_frame me;
    mutex_guard guard = {NULL, NULL};
    struct outcome o;
    struct guarded *g;
    mutex m, another;

    open_sync_lab(&lab);
    mutex_init(&m);
    mutex_init(&another);
    step("a guard whose wait was in vain, as its mutex was destroyed, holds none, and can lock "
         "another one");
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    spawn(&lab, awaits(&lab, "A", mutex_guard_lock(&guard, &m), &o));
    run_ready(&lab);
    mutex_destroy(&m);
    run_ready(&lab);
    expect_outcome("the await of mutex_guard_lock(guard, m)", &o, -ECANCELED);
    spawn(&lab, awaits(&lab, "B", mutex_guard_lock(&guard, &another), &o));
    run_ready(&lab);
    expect_outcome("the await of mutex_guard_lock(guard, another)", &o, 0);
    mutex_guard_release(&guard);
    mutex_init(&m);
    step("a guard that holds a mutex is asked to lock another one");
    g = guarded(&lab, &m);
    g->second = &another;
    spawn(&lab, &g->task);
    run_all(&lab);
    step("it has let go of the one that it had, and the other one was never touched");
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    expect_int("mutex_try_lock(another, me)", mutex_try_lock(&another, &me), 0);
    mutex_destroy(&m);
    mutex_destroy(&another);
    close_sync_lab(&lab);
}
