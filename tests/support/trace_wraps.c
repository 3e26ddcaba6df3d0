/* trace_wraps.c - linker wraps for the recorder: who enters a scheduler, and which clock counts. */
#include "trace.h"

#include "timers.h"

enum { CLOCKS = 16 };

int __wrap_scheduler_schedule(scheduler *s, co_handle handle);
int __wrap_scheduler_spawn(scheduler *s, task *t);
int __wrap_scheduler_start(scheduler *s, task *t);
void __wrap_virtual_clock_init(virtual_clock *v, int64_t time);
timers *__wrap_timers_create(lab_clock *clock);
void __wrap_timers_destroy(timers *t);

/* Weak: a program need not have all layers. */
#define REAL __attribute__((weak))
REAL int __real_scheduler_schedule(scheduler *s, co_handle handle);
REAL int __real_scheduler_spawn(scheduler *s, task *t);
REAL int __real_scheduler_start(scheduler *s, task *t);
REAL void __real_virtual_clock_init(virtual_clock *v, int64_t time);
REAL timers *__real_timers_create(lab_clock *clock);
REAL void __real_timers_destroy(timers *t);

static const virtual_clock *clocks[CLOCKS]; /* the latest that were set */
static unsigned clock_count;
static const timers *current; /* whose clock is the trace's */

/* ---- Schedulers ------------------------------------------------------------------------------ */

static int entered(co_handle handle, unsigned long before, int result)
{
    if (result == 0) {
        trace_entered(handle, before);
    }
    return result;
}

int __wrap_scheduler_schedule(scheduler *s, co_handle handle)
{
    unsigned long before;
    int result;

    if (!tracing()) {
        return __real_scheduler_schedule(s, handle);
    }
    before = trace_moves(handle);
    result = __real_scheduler_schedule(s, handle);
    return entered(handle, before, result);
}

int __wrap_scheduler_spawn(scheduler *s, task *t)
{
    unsigned long before;
    int result;

    if (!tracing()) {
        return __real_scheduler_spawn(s, t);
    }
    before = trace_moves((co_handle)t);
    result = __real_scheduler_spawn(s, t);
    return entered((co_handle)t, before, result);
}

int __wrap_scheduler_start(scheduler *s, task *t)
{
    unsigned long before;
    int result;

    if (!tracing()) {
        return __real_scheduler_start(s, t);
    }
    before = trace_moves((co_handle)t);
    result = __real_scheduler_start(s, t);
    return entered((co_handle)t, before, result);
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

void __wrap_virtual_clock_init(virtual_clock *v, int64_t time)
{
    __real_virtual_clock_init(v, time);
    clocks[clock_count++ % CLOCKS] = v;
}

/* The virtual clock that `clock` is; NULL: another one, at which nobody may look unasked, for a
 * look may take time there. */
static const virtual_clock *as_virtual(const lab_clock *clock)
{
    for (unsigned i = 0; i < CLOCKS; i++) {
        if (clocks[i] != NULL && &clocks[i]->clock == clock) {
            return clocks[i];
        }
    }
    return NULL;
}

timers *__wrap_timers_create(lab_clock *clock)
{
    timers *t = __real_timers_create(clock);

    if (t != NULL && tracing()) {
        current = t;
        trace_use_clock(as_virtual(clock));
    }
    return t;
}

void __wrap_timers_destroy(timers *t)
{
    __real_timers_destroy(t);
    if (t != NULL && t == current) {
        current = NULL;
        trace_use_clock(NULL);
    }
}
