/* task_group.c - x1, reference: tasks that do not outlive the place where they are started. */
#include "task_group.h"

#include <errno.h>

/* Each task of the group is awaited by a small one of ours, which notes how it ended. */
struct group_member {
    task task;         /* first */
    task_group *group; /* NULL: the group is gone, though this one was running */
    struct task *work; /* what the user gave; NULL: it is being awaited */
    intptr_t value;
    co_error error;
    struct group_member *previous, *next;
};

/* ---- The list ------------------------------------------------------------ */

static void link_member(task_group *g, struct group_member *m)
{
    m->previous = g->last;
    *(g->last != NULL ? &g->last->next : &g->first) = m;
    g->last = m;
}

static void unlink_member(task_group *g, struct group_member *m)
{
    *(m->previous != NULL ? &m->previous->next : &g->first) = m->next;
    *(m->next != NULL ? &m->next->previous : &g->last) = m->previous;
    m->previous = m->next = NULL;
    m->group = NULL;
}

size_t task_group_count(const task_group *g)
{
    size_t count = 0;

    for (const struct group_member *m = g->first; m != NULL; m = m->next) {
        count++;
    }
    return count;
}

static void wake_if_empty(task_group *g)
{
    awaiter *waiter = g->waiter;

    if (g->first == NULL && waiter != NULL) {
        g->waiter = NULL;
        co_wake(waiter, 0);
    }
}

/* ---- Destroying what is left --------------------------------------------- */

static const awaiter_type wait_type;

/* The group for which a member waits, itself or at the end of what it awaits. */
static task_group *awaited_by(const struct group_member *m)
{
    const task *t = &m->task;
    const awaiter *a;

    while (task_awaiting(t) != NULL) {
        t = task_awaiting(t);
    }
    a = &t->at.awaiting;
    return a->type == &wait_type && a->source != NULL ? a->buffer : NULL;
}

static struct group_member *next_victim(const task_group *g)
{
    return g->first != NULL && g->first == g->spared ? g->first->next : g->first;
}

static void destroy_member(task_group *g, struct group_member *m)
{
    if (task_destroy(&m->task) != 0) {
        g->spared = m; /* running: only one is, on one thread */
    }
}

/* Destroys the members of `g`, the inner ones first: a frame goes after those that may point into it. A member
 * that waits for a group of its own is not destroyed before that is empty. That is a loop, for groups may be
 * nested deeper than the stack is. */
static void destroy_members(task_group *g)
{
    task_group *at = g;

    g->spared = NULL;
    g->cancelled = true;
    for (;;) {
        struct group_member *m = next_victim(at);
        task_group *inner = m != NULL ? awaited_by(m) : NULL;

        if (m == NULL && at == g) {
            return;
        }
        if (m == NULL) { /* outwards */
            if (at->spared != NULL) {
                at->outer->spared = at->owner;
            }
            at = at->outer;
        } else if (inner != NULL && inner->first != NULL) { /* inwards */
            inner->outer = at;
            inner->owner = m;
            inner->spared = NULL;
            inner->cancelled = true;
            at = inner;
        } else {
            destroy_member(at, m);
        }
    }
}

int task_group_cancel(task_group *g)
{
    destroy_members(g);
    wake_if_empty(g);
    return g->spared != NULL ? -EBUSY : 0;
}

/* An error that nobody can take any more is reported as that of a task is: it is the error of one. */
static void stay(co_handle frame)
{
    (void)frame;
}

static void report_lost(const char *name, co_error error)
{
    task t;

    (void)task_init(&t, name, stay, stay);
    task_unhandled_error(&t, error);
    (void)task_destroy(&t);
}

void task_group_release(task_group *g)
{
    destroy_members(g);
    if (g->spared != NULL) {
        unlink_member(g, g->spared); /* a member has destroyed who owns it: it goes on alone */
    }
    if (g->error.code != 0 && !g->error_taken) {
        g->error_taken = true;
        report_lost("task group", g->error);
    }
}

/* ---- A member ------------------------------------------------------------ */

/* The first error cancels the others. */
static void member_ended(task_group *g, struct group_member *m)
{
    unlink_member(g, m);
    if (m->error.code != 0 && g->error.code == 0) {
        g->error = m->error;
        destroy_members(g);
    } else if (m->error.code != 0) {
        report_lost(m->task.name, m->error);
    }
    wake_if_empty(g);
}

static void member_body(co_handle frame)
{
    struct group_member *self = (struct group_member *)frame;

    CO_BEGIN(self);
    CO_TRY_AWAIT(self, self->value, self->error, task_await(task_take(&self->work)));
    if (self->group != NULL) {
        member_ended(self->group, self);
    }
    CO_END(self);
}

static void member_release(co_handle frame)
{
    struct group_member *self = (struct group_member *)frame;

    if (self->group != NULL) {
        unlink_member(self->group, self);
    }
    (void)task_destroy(self->work);
    free(self);
}

void task_group_init(task_group *g, scheduler *s)
{
    *g = (task_group){.scheduler = s};
}

int task_group_spawn(task_group *g, task *t)
{
    struct group_member *m;

    if (t == NULL) {
        return -ENOMEM;
    }
    if (t->at.running || t->continuation != NULL || t->owned) {
        return -EBUSY;
    }
    m = g->cancelled ? NULL : calloc(1, sizeof *m);
    if (m == NULL) {
        (void)task_destroy(t);
        return g->cancelled ? -ECANCELED : -ENOMEM;
    }
    m->group = g;
    m->work = t;
    link_member(g, m);
    return scheduler_spawn(g->scheduler, task_init(&m->task, t->name, member_body, member_release));
}

/* ---- The awaiter: a->buffer is the group --------------------------------- */

static bool wait_suspend(awaiter *a, co_handle waiter)
{
    task_group *g = a->buffer;

    (void)waiter;
    if (g->first != NULL && g->waiter != NULL) {
        a->result = -EBUSY;
    } else if (g->first != NULL && a->executor == NULL) {
        a->result = -EINVAL;
    } else if (g->first != NULL) {
        a->source = g;
        g->waiter = a;
        return true;
    }
    return false;
}

static intptr_t wait_resume(awaiter *a, co_error *thrown)
{
    task_group *g = a->buffer;

    if (a->result != 0) {
        return a->result;
    }
    if (g->error.code != 0) {
        g->error_taken = true;
        *thrown = g->error;
        return 0;
    }
    return g->cancelled ? -ECANCELED : 0;
}

static void wait_cancel(awaiter *a)
{
    if (a->source != NULL) {
        ((task_group *)a->buffer)->waiter = NULL;
        a->source = NULL;
        a->result = -ECANCELED;
    }
}

static const awaiter_type wait_type = {"task group", co_always_ready, wait_suspend,
                                       wait_resume,  wait_cancel,     NULL};

awaiter task_group_wait(task_group *g)
{
    return (awaiter){.type = &wait_type, .buffer = g};
}
