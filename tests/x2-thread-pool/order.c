/* order.c - who is next: on one worker all is in one order. */
#include "jobs.h"
#include "lab_test.h"

#include <errno.h>

LAB_TEST(await_goes_to_the_tail)
{
    thread_pool *pool = new_pool(1);
    struct door door = DOOR_CLOSED;

    hold(pool, &door);
    step("p, which awaits b, and o are queued; one worker");
    schedule(pool, parent(pool, "p", NULL, yielder(pool, "b", NULL, 0, 42)));
    schedule(pool, yielder(pool, "o", NULL, 0, 0));
    door_open(&door);
    destroy_pool(pool);
    expect_trace("p-awaits o b p-got-42");
}

LAB_TEST(yield_goes_to_the_tail)
{
    thread_pool *pool = new_pool(1);
    struct door door = DOOR_CLOSED;

    hold(pool, &door);
    step("three tasks, of which each tells its name three times and yields in between; one worker");
    schedule(pool, yielder(pool, "A", NULL, 2, 0));
    schedule(pool, yielder(pool, "B", NULL, 2, 0));
    schedule(pool, yielder(pool, "C", NULL, 2, 0));
    door_open(&door);
    destroy_pool(pool);
    expect_trace("A B C A B C A B C");
}

LAB_TEST(ten_yields_take_eleven_resumptions)
{
    thread_pool *pool = new_pool(1);
    struct tally tally = {0};

    expect_result(pool, yielder(pool, "a", &tally, 10, 42), 42);
    expect_int("times it was resumed", (intptr_t)tally.resumed, 11);
    expect_int("times it was released", (intptr_t)tally.released, 1);
    destroy_pool(pool);
}

static void elsewhere_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, thread_pool_yield(self->data));
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(yield_elsewhere)
{
    thread_pool *pool = new_pool(1);
    thread_pool *other = new_pool(1);
    struct tally tally = {0};
    struct job *job = job_create(pool, "a", &tally, elsewhere_body);
    intptr_t value = 0;

    step("yield to a pool in which the coroutine does not run");
    job->data = other;
    expect_result(pool, &job->task, -EINVAL);
    step("yield in no pool, to NULL");
    job = job_create(pool, "b", &tally, elsewhere_body);
    expect_int("task_resume(t)", task_resume(&job->task), 0);
    expect_int("task_get(t, &value)", task_get(&job->task, &value), 0);
    expect_int("value", value, -EINVAL);
    expect_int("task_destroy(t)", task_destroy(&job->task), 0);
    expect_int("times they were resumed", (intptr_t)tally.resumed, 2);
    destroy_pool(other);
    destroy_pool(pool);
}

/* ---- More than a ring can hold --------------------------------------------------------------- */

enum { CROWD = 1000, ROUNDS = 3 };

/* Each writes its number, then yields; ROUNDS times. */
struct log {
    int number[CROWD * ROUNDS];
    int used; /* one worker: no two at a time */
};

static void writing_body(co_handle frame)
{
    struct job *self = job_enter(frame);
    struct log *log = self->data;

    CO_BEGIN(self);
    for (self->i = 0; self->i < ROUNDS; self->i++) {
        log->number[log->used++] = self->steps;
        CO_AWAIT(self, self->task.ignored, thread_pool_yield(self->pool));
    }
    CO_END(self);
}

static task *writer(thread_pool *pool, int number, struct log *log)
{
    struct job *job = job_create(pool, "writer", NULL, writing_body);

    job->steps = number;
    job->data = log;
    return &job->task;
}

static void expect_rounds(const struct log *log)
{
    expect_int("turns", log->used, CROWD * ROUNDS);
    for (int i = 0; i < CROWD * ROUNDS; i++) {
        if (log->number[i] != i % CROWD) {
            fail_test("turn %d of round %d\nexpected: task %d\nactual:   task %d", i % CROWD,
                      i / CROWD, i % CROWD, log->number[i]);
        }
    }
}

LAB_TEST(crowd_from_outside_takes_turns)
{
    static struct log log;
    thread_pool *pool = new_pool(1);
    struct door door = DOOR_CLOSED;

    hold(pool, &door);
    step("schedule %d tasks that yield, on one worker: each round, each has one turn, in order",
         CROWD);
    for (int i = 0; i < CROWD; i++) {
        schedule(pool, writer(pool, i, &log));
    }
    door_open(&door);
    destroy_pool(pool);
    expect_rounds(&log);
}

static void spawning_body(co_handle frame)
{
    struct job *self = job_enter(frame);
    int i;

    CO_BEGIN(self);
    for (i = 0; i < CROWD; i++) {
        schedule(self->pool, writer(self->pool, i, self->data));
    }
    CO_END(self);
}

LAB_TEST(crowd_from_inside_takes_turns)
{
    static struct log log;
    thread_pool *pool = new_pool(1);
    struct job *job = job_create(pool, "spawner", NULL, spawning_body);

    step("a task schedules %d others, on one worker: more than the worker's ring can hold", CROWD);
    job->data = &log;
    schedule(pool, &job->task);
    destroy_pool(pool);
    expect_rounds(&log);
}

/* ---- Nobody is shut out ---------------------------------------------------------------------- */

struct fair {
    struct door door;
    unsigned turns; /* of the busy ones */
    unsigned then;  /* when the newcomer was scheduled */
    bool over;
};

static void busy_body(co_handle frame)
{
    struct job *self = job_enter(frame);
    struct fair *fair = self->data;

    CO_BEGIN(self);
    while (!fair->over) {
        if (++fair->turns == 1000) { /* hold up the worker, until the newcomer is queued */
            fair->then = fair->turns;
            door_pass(&fair->door);
        }
        CO_AWAIT(self, self->task.ignored, thread_pool_yield(self->pool));
    }
    CO_END(self);
}

static void newcomer_body(co_handle frame)
{
    struct job *self = job_enter(frame);
    struct fair *fair = self->data;

    CO_BEGIN(self);
    fair->over = true;
    CO_RETURN(self, (intptr_t)(fair->turns - fair->then));
    CO_END(self);
}

static void let_one_come(int busy)
{
    thread_pool *pool = new_pool(1);
    struct fair fair = {.door = DOOR_CLOSED};
    struct job *newcomer = job_create(pool, "newcomer", NULL, newcomer_body);
    intptr_t turns = 0;

    step("%d tasks yield all the time, on one worker; a task comes from outside", busy);
    newcomer->data = &fair;
    for (int i = 0; i < busy; i++) {
        struct job *job = job_create(pool, "busy", NULL, busy_body);

        job->data = &fair;
        schedule(pool, &job->task);
    }
    door_await(&fair.door, 1);
    start(pool, &newcomer->task);
    door_open(&fair.door);
    expect_int("thread_pool_block_on(pool, t, &value)",
               thread_pool_block_on(pool, &newcomer->task, &turns), 0);
    expect_between("turns of the others before its own", turns, 0, busy);
    destroy_pool(pool);
}

LAB_TEST(newcomer_is_not_shut_out)
{
    let_one_come(1);
    let_one_come(10);
    let_one_come(CROWD);
}

/* ---- Deep chains ----------------------------------------------------------------------------- */

static void chain_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    if (self->child != NULL) {
        CO_AWAIT(self, self->value, task_await(task_take(&self->child)));
    }
    CO_RETURN(self, self->value + 1);
    CO_END(self);
}

static void run_chain(void *argument)
{
    enum { DEPTH = 100000 };
    thread_pool *pool = argument;
    struct job *link = NULL;

    for (int i = 0; i < DEPTH; i++) {
        struct job *above = job_create(pool, "link", NULL, chain_body);

        above->child = link != NULL ? &link->task : NULL;
        link = above;
    }
    expect_result(pool, &link->task, DEPTH);
}

LAB_TEST(long_chain_of_awaits)
{
    thread_pool *pool = new_pool(2);

    step("100,000 tasks, of which each awaits the next");
    run_on_small_stack(run_chain, pool);
    destroy_pool(pool);
}
