/* calls.c - the ledger of wrapped system calls, and the errors that tests inject. */
#include "harness.h"

#include <errno.h>
#include <pthread.h>

/* Which calls of a kind fail. */
struct plan {
    unsigned long next;  /* the number of the next that fails; 0: none */
    unsigned long step;  /* from one to the next */
    unsigned long times; /* how many more */
    int error;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long counts[CALL_KINDS];
static struct plan plans[CALL_KINDS];
static size_t limits[CALL_KINDS];
static bool begun;
static _Thread_local bool unwatched;

void calls_begin(void)
{
    begun = true;
}

void watch_calls(bool on)
{
    unwatched = !on;
}

bool calls_watched(void)
{
    return begun && !unwatched;
}

/* True: call number `number` is one of the plan. */
static bool plan_hits(struct plan *plan, unsigned long number)
{
    if (plan->times == 0 || number != plan->next) {
        return false;
    }
    plan->next += plan->step;
    plan->times--;
    return true;
}

bool call_fails(enum lab_call call)
{
    bool fails;

    if (!calls_watched()) {
        return false;
    }
    (void)pthread_mutex_lock(&lock);
    counts[call]++;
    fails = plan_hits(&plans[call], counts[call]);
    if (fails) {
        errno = plans[call].error;
    }
    (void)pthread_mutex_unlock(&lock);
    return fails;
}

size_t call_limit(enum lab_call call, size_t length)
{
    size_t limit = calls_watched() ? limits[call] : 0;

    return limit != 0 && length > limit ? limit : length;
}

unsigned long call_count(enum lab_call call)
{
    unsigned long count;

    (void)pthread_mutex_lock(&lock);
    count = counts[call];
    (void)pthread_mutex_unlock(&lock);
    return count;
}

void inject_error(enum lab_call call, unsigned long first, unsigned long step, unsigned long times,
                  int error)
{
    (void)pthread_mutex_lock(&lock);
    plans[call].next = counts[call] + first;
    plans[call].step = step != 0 ? step : 1;
    plans[call].times = times;
    plans[call].error = error;
    (void)pthread_mutex_unlock(&lock);
}

void limit_transfer(enum lab_call call, size_t limit)
{
    limits[call] = limit;
}
