/* idle.c - a pool that has nothing to do does nothing. */
#include "jobs.h"
#include "lab_test.h"

#include <stdio.h>

enum { SECONDS_IDLE = 5 };

/* What the kernel says of some threads together. Who sleeps does not leave a processor, and cannot call
 * the kernel. */
struct look {
    unsigned long turns; /* how often one of them has left a processor */
    bool asleep;         /* none is running, or waits for a processor */
};

static void look_at(long id, struct look *look)
{
    char path[64], line[200], state;
    unsigned long count;
    FILE *status;

    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/status", id);
    status = fopen(path, "r");
    if (status == NULL) {
        fail_test("the test itself: cannot read %s", path);
    }
    while (fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "State: %c", &state) == 1) {
            look->asleep = look->asleep && state == 'S';
        } else if (sscanf(line, "voluntary_ctxt_switches: %lu", &count) == 1 ||
                   sscanf(line, "nonvoluntary_ctxt_switches: %lu", &count) == 1) {
            look->turns += count;
        }
    }
    (void)fclose(status);
}

static struct look look_at_all(const struct threads *t)
{
    struct look look = {0, true};

    for (size_t i = 0; i < t->count; i++) {
        look_at(t->id[i], &look);
    }
    return look;
}

/* Those that have just had something to do need a while to fall asleep, on a busy machine a long one: until
 * two looks, one after the other, find all of them asleep, and that none has moved in between. */
static struct look look_when_settled(const struct threads *t)
{
    struct look before, after = look_at_all(t);
    int patience = 150;

    do {
        before = after;
        block_for(20);
        after = look_at_all(t);
    } while ((!before.asleep || !after.asleep || after.turns != before.turns) && --patience > 0);
    return after;
}

LAB_TEST(idle_pool_makes_no_system_call)
{
    struct threads others, threads;
    thread_pool *pool;
    struct bell bell = BELL;
    struct look before;

    begin_threads();
    others = list_threads(NULL);
    pool = new_pool(3);
    step("a pool of 3 workers has run some tasks, has had a timer, and has one task that waits");
    expect_result(pool, sleeper(pool, "s", NULL, MILLISECONDS(1), 0), 0);
    schedule(pool, waiter(pool, "w", NULL, &bell));
    bell_await(&bell);
    threads = list_threads(&others);
    expect_between("threads of the pool", (int64_t)threads.count, 3, 4);
    before = look_when_settled(&threads);
    step("leave it alone for %d s", SECONDS_IDLE);
    block_for(SECONDS_IDLE * 1000);
    expect_int("how often one of its threads had a turn on a processor",
               (intptr_t)(look_at_all(&threads).turns - before.turns), 0);
    bell_ring(&bell, 1);
    destroy_pool(pool);
}
