/* contexts.h - the peer "ucontext": coroutines with stacks of their own, on a ready queue.
 *
 * As in libtask: a loop on the program's own stack resumes the oldest; who yields goes back to it.
 */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include "measure.h"

#include <stdbool.h>
#include <ucontext.h>

enum { CONTEXT_STACK = 8192 }; /* as small as such code dares, for there may be a million */

struct context {
    ucontext_t at;
    void (*body)(void *);
    void *argument;
    struct context *next; /* in the ready queue */
    bool done;
    char stack[CONTEXT_STACK];
};

static ucontext_t context_loop;
static struct context *context_first, *context_last, *context_now;
static struct context *context_spare; /* stacks to use again */

static void context_ready(struct context *c)
{
    c->next = NULL;
    *(context_first != NULL ? &context_last->next : &context_first) = c;
    context_last = c;
}

static void context_begin(void)
{
    context_now->body(context_now->argument);
    context_now->done = true; /* and on to uc_link */
}

static struct context *context_take(void)
{
    struct context *c = context_spare;

    if (c == NULL) {
        return (struct context *)allocate(sizeof *c);
    }
    context_spare = c->next;
    return c;
}

static void context_spawn(void (*body)(void *), void *argument)
{
    struct context *c = context_take();

    (void)getcontext(&c->at);
    c->at.uc_stack.ss_sp = c->stack;
    c->at.uc_stack.ss_size = sizeof c->stack;
    c->at.uc_link = &context_loop;
    makecontext(&c->at, context_begin, 0);
    c->body = body;
    c->argument = argument;
    c->done = false;
    context_ready(c);
}

static inline void context_yield(void)
{
    struct context *self = context_now;

    context_ready(self);
    (void)swapcontext(&self->at, &context_loop);
}

/* One resumption of the oldest. */
static void context_turn(void)
{
    struct context *c = context_first;

    context_first = c->next;
    context_now = c;
    (void)swapcontext(&context_loop, &c->at);
    if (c->done) {
        c->next = context_spare;
        context_spare = c;
    }
}

static inline void context_run(void)
{
    while (context_first != NULL) {
        context_turn();
    }
}

#endif
