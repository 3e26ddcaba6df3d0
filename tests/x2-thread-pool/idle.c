/* idle.c - a pool that has nothing to do does nothing. */
#include "jobs.h"
#include "lab_test.h"

#include <stdio.h>

enum { SECONDS_IDLE = 5 };

/* How often this thread has left a processor: a thread that sleeps does not, and cannot call the
 * kernel. */
static unsigned long turns_of(long id)
{
    char text[200];
    unsigned long sum = 0, count;
    FILE *status;

    (void)snprintf(text, sizeof text, "/proc/self/task/%ld/status", id);
    status = fopen(text, "r");
    while (status != NULL && fgets(text, sizeof text, status) != NULL) {
        if (sscanf(text, "voluntary_ctxt_switches: %lu", &count) == 1 ||
            sscanf(text, "nonvoluntary_ctxt_switches: %lu", &count) == 1) {
            sum += count;
        }
    }
    if (status == NULL) {
        fail_test("the test itself: cannot read %s", text);
    }
    (void)fclose(status);
    return sum;
}

static unsigned long turns(const struct threads *t)
{
    unsigned long sum = 0;

    for (size_t i = 0; i < t->count; i++) {
        sum += turns_of(t->id[i]);
    }
    return sum;
}

/* Those that have just had something to do need a moment to fall asleep. */
static unsigned long turns_when_settled(const struct threads *t)
{
    unsigned long before = turns(t), after;

    for (int i = 0; i < 100; i++) {
        block_for(20);
        after = turns(t);
        if (after == before) {
            break;
        }
        before = after;
    }
    return before;
}

LAB_TEST(idle_pool_makes_no_system_call)
{
    struct threads others, threads;
    thread_pool *pool;
    struct bell bell = BELL;
    unsigned long before;

    begin_threads();
    others = list_threads(NULL);
    pool = new_pool(3);
    step("a pool of 3 workers has run some tasks, has had a timer, and has one task that waits");
    expect_result(pool, sleeper(pool, "s", NULL, MILLISECONDS(1), 0), 0);
    schedule(pool, waiter(pool, "w", NULL, &bell));
    bell_await(&bell);
    threads = list_threads(&others);
    expect_between("threads of the pool", (int64_t)threads.count, 3, 4);
    before = turns_when_settled(&threads);
    step("leave it alone for %d s", SECONDS_IDLE);
    block_for(SECONDS_IDLE * 1000);
    expect_int("how often one of its threads had a turn on a processor",
               (intptr_t)(turns(&threads) - before), 0);
    bell_ring(&bell, 1);
    destroy_pool(pool);
}
