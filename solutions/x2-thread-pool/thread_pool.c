/* thread_pool.c - x2, reference: the pool from its beginning to its end. */
#include "pool.h"

#include <errno.h>
#include <unistd.h>

/* ---- Beginning ----------------------------------------------------------- */

static size_t processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    if (count < 1) {
        return 1;
    }
    return count < THREAD_POOL_MOST_WORKERS ? (size_t)count : THREAD_POOL_MOST_WORKERS;
}

static void init_parts(thread_pool *pool, size_t workers)
{
    global_queue_init(&pool->global);
    parking_init(&pool->parking, workers);
    members_init(&pool->members);
    members_init(&pool->kept);
    offload_init(&pool->offload);
    (void)pthread_mutex_init(&pool->blocked, NULL);
    for (size_t i = 0; i < workers; i++) {
        struct worker *w = &pool->workers[i];

        w->pool = pool;
        w->number = i;
        sleeper_init(&w->sleeper);
        members_init(&w->members);
    }
}

static void destroy_parts(thread_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        sleeper_destroy(&pool->workers[i].sleeper);
        members_destroy(&pool->workers[i].members);
    }
    (void)pthread_mutex_destroy(&pool->blocked);
    members_destroy(&pool->kept);
    members_destroy(&pool->members);
    parking_destroy(&pool->parking);
    global_queue_destroy(&pool->global);
    free(pool->workers);
    free(pool);
}

static thread_pool *allocate(size_t workers)
{
    thread_pool *pool = calloc(1, sizeof *pool);

    if (pool == NULL) {
        return NULL;
    }
    pool->workers = calloc(workers, sizeof *pool->workers);
    if (pool->workers == NULL) {
        free(pool);
        return NULL;
    }
    pool->count = workers;
    init_parts(pool, workers);
    return pool;
}

static void join_workers(thread_pool *pool, size_t started)
{
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(pool->workers[i].thread, NULL);
    }
}

static int start_workers(thread_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        struct worker *w = &pool->workers[i];
        int error = pthread_create(&w->thread, NULL, worker_main, w);

        if (error != 0) {
            parking_close(&pool->parking);
            join_workers(pool, i);
            return -error;
        }
    }
    return 0;
}

static int start_threads(thread_pool *pool)
{
    int error = sleeping_start(&pool->sleeping);

    if (error == 0) {
        error = start_workers(pool);
        if (error != 0) {
            sleeping_stop(&pool->sleeping);
        }
    }
    return error;
}

thread_pool *thread_pool_create(size_t workers)
{
    thread_pool *pool;
    int error;

    if (workers > THREAD_POOL_MOST_WORKERS) {
        errno = EINVAL;
        return NULL;
    }
    pool = allocate(workers > 0 ? workers : processors());
    if (pool == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    error = start_threads(pool);
    if (error != 0) {
        offload_stop(&pool->offload);
        destroy_parts(pool);
        errno = -error;
        return NULL;
    }
    return pool;
}

size_t thread_pool_workers(const thread_pool *pool)
{
    return pool->count;
}

/* ---- The end ------------------------------------------------------------- */

/* A parking_question, asked when all workers are asleep: is nobody left who could wake them? */
static bool is_quiet(void *argument)
{
    thread_pool *pool = argument;

    return atomic_load_explicit(&pool->expected, memory_order_relaxed) == 0 &&
           !pool_has_ready(pool);
}

int thread_pool_destroy(thread_pool *pool)
{
    int waited;

    if (pool == NULL) {
        return 0;
    }
    if (pool_of_thread() == pool) {
        return -EBUSY;
    }
    parking_drain(&pool->parking, is_quiet, pool);
    join_workers(pool, pool->count);
    sleeping_stop(&pool->sleeping);
    offload_stop(&pool->offload);
    waited = leave_all(pool);
    destroy_parts(pool);
    return waited;
}
