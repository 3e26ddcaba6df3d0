/* running.c - a pool runs what it is given. */
#include "jobs.h"
#include "lab_test.h"

#include <errno.h>
#include <unistd.h>

LAB_TEST(create_and_destroy)
{
    struct threads others;
    thread_pool *pool;

    begin_threads();
    others = list_threads(NULL);
    step("pools of 1, 2 and 8 workers with nothing to do");
    for (int i = 0; i < 3; i++) {
        static const size_t workers[] = {1, 2, 8};

        pool = new_pool(workers[i]);
        expect_int("thread_pool_workers(pool)", (intptr_t)thread_pool_workers(pool),
                   (intptr_t)workers[i]);
        destroy_pool(pool);
    }
    if (sysconf(_SC_NPROCESSORS_ONLN) <= 16) { /* graders limit how many threads a test may have */
        step("0 workers: as many as there are processors");
        pool = new_pool(0);
        expect_int("thread_pool_workers(pool)", (intptr_t)thread_pool_workers(pool),
                   (intptr_t)sysconf(_SC_NPROCESSORS_ONLN));
        destroy_pool(pool);
    }
    step("more than there may be");
    errno = 0;
    expect_true("thread_pool_create gives NULL",
                thread_pool_create(THREAD_POOL_MOST_WORKERS + 1) == NULL);
    expect_int("errno", errno, EINVAL);
    expect_int("thread_pool_destroy(NULL)", thread_pool_destroy(NULL), 0);
    step("wait until the threads of all these are gone");
    await_threads_gone(&others);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

struct visit {
    pthread_t thread;
    struct door done;
};

static void visiting_body(co_handle frame)
{
    struct job *self = job_enter(frame);
    struct visit *visit = self->data;

    CO_BEGIN(self);
    visit->thread = pthread_self();
    door_ring(&visit->done);
    CO_END(self);
}

LAB_TEST(schedule_runs_on_a_worker)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    struct visit visit = {.done = DOOR_CLOSED};
    struct job *job = job_create(pool, "visitor", &tally, visiting_body);

    job->data = &visit;
    step("schedule a task");
    schedule(pool, &job->task);
    door_await(&visit.done, 1);
    expect_true("another thread has run it", !pthread_equal(visit.thread, pthread_self()));
    destroy_pool(pool);
    expect_int("times it was resumed", (intptr_t)tally.resumed, 1);
    expect_int("times it was released", (intptr_t)tally.released, 1);
}

LAB_TEST(scheduled_are_destroyed_as_they_end)
{
    enum { TASKS = 1000 };
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};
    size_t before = live_blocks();

    step("schedule %d tasks, one after the other", TASKS);
    for (unsigned i = 1; i <= TASKS; i++) {
        schedule(pool, silent(pool, &tally, 0));
        while (tally.released < i) { /* if it does not happen, the test's time is over */
            block_for(0);
        }
    }
    while (live_blocks() > before) {
        block_for(1);
    }
    destroy_pool(pool);
    expect_int("times they were resumed", (intptr_t)tally.resumed, TASKS);
    expect_int("live blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(every_task_runs_once)
{
    enum { TASKS = 20000 };
    thread_pool *pool = new_pool(4);
    struct tally tally = {0};

    step("schedule %d tasks on 4 workers", TASKS);
    for (int i = 0; i < TASKS; i++) {
        schedule(pool, silent(pool, &tally, 0));
    }
    destroy_pool(pool);
    expect_int("times they were resumed", (intptr_t)tally.resumed, TASKS);
    expect_int("times they were released", (intptr_t)tally.released, TASKS);
}

LAB_TEST(sleeping_workers_are_woken)
{
    enum { ROUNDS = 2000 };
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};

    step("%d times: a task comes while all workers sleep", ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
        expect_result(pool, silent(pool, &tally, i), i);
    }
    destroy_pool(pool);
    expect_int("times they were resumed", (intptr_t)tally.resumed, ROUNDS);
}

LAB_TEST(waiting_task_is_woken_by_any_thread)
{
    enum { ROUNDS = 100 };
    thread_pool *pool = new_pool(2);
    struct bell bell = BELL;
    struct tally tally = {0};

    for (int i = 0; i < ROUNDS; i++) {
        step("a task waits; this thread, which is no worker, wakes it");
        schedule(pool, waiter(pool, "w", &tally, &bell));
        bell_ring(&bell, 42);
    }
    destroy_pool(pool);
    expect_int("times they were resumed", (intptr_t)tally.resumed, 2 * ROUNDS);
    expect_int("times they were released", (intptr_t)tally.released, ROUNDS);
}

/* ---- Woken on the way out -------------------------------------------------------------------- */

/* A source of events whose waker is as fast as can be: another thread wakes the coroutine while its
 * worker is still inside await_suspend. */
struct hasty {
    struct bell bell;
    struct door woken;
    atomic_bool resumed;
    bool resumed_too_soon;
};

static bool hasty_suspend(awaiter *a, co_handle waiter)
{
    struct hasty *h = a->buffer;

    (void)waiter;
    a->source = h;
    (void)pthread_mutex_lock(&h->bell.lock);
    h->bell.waiting = a;
    (void)pthread_cond_broadcast(&h->bell.somebody);
    (void)pthread_mutex_unlock(&h->bell.lock);
    door_await(&h->woken, 1);
    block_for(20); /* time enough for another worker to do what it must not */
    h->resumed_too_soon = h->resumed;
    return true;
}

static bool hasty_ready(awaiter *a)
{
    (void)a;
    return false;
}

static intptr_t hasty_resume(awaiter *a, co_error *thrown)
{
    struct hasty *h = a->buffer;

    (void)thrown;
    h->resumed = true;
    return a->result;
}

static awaiter hasty_wait(struct hasty *h)
{
    static const awaiter_type type = {"hasty",      hasty_ready, hasty_suspend,
                                      hasty_resume, NULL,        NULL};

    return (awaiter){.type = &type, .buffer = h};
}

static void hasty_body(co_handle frame)
{
    struct job *self = job_enter(frame);

    CO_BEGIN(self);
    CO_AWAIT(self, self->value, hasty_wait(self->data));
    CO_RETURN(self, self->value);
    CO_END(self);
}

LAB_TEST(woken_on_the_way_out)
{
    thread_pool *pool = new_pool(2);
    struct tally tally = {0};

    for (int i = 0; i < 5; i++) {
        struct hasty h = {.bell = BELL, .woken = DOOR_CLOSED};
        struct job *job = job_create(pool, "hasty", &tally, hasty_body);

        job->data = &h;
        step("a task is about to suspend, and is woken before its worker has left it");
        start(pool, &job->task);
        bell_ring(&h.bell, i);
        door_ring(&h.woken);
        expect_result(pool, &job->task, i);
        expect_true("it was not resumed before its worker had left it", !h.resumed_too_soon);
    }
    destroy_pool(pool);
    expect_int("times they were resumed", (intptr_t)tally.resumed, 10);
}
