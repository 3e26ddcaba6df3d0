/* pool, by libuv: uv_queue_work, whose threads take from one queue. */
#include "measure.h"
#include "work.h"

#include <string.h>
#include <uv.h>

enum { BATCH = 1000 };

static long steps, done;

struct job {
    uv_work_t request; /* first */
    long value;
};

static void run(uv_work_t *request)
{
    ((struct job *)request)->value = work(steps);
}

static void join(uv_work_t *request, int status)
{
    struct job *self = (struct job *)request;

    (void)status;
    done += self->value;
    free(self);
}

int main(int argc, char **argv)
{
    long rounds = argument(argc, argv, 3);
    int64_t began;

    steps = argument(argc, argv, 2);
    (void)uv_os_setenv("UV_THREADPOOL_SIZE", argv[1]);
    began = real_ns();
    for (; rounds > 0; rounds--) {
        for (int i = 0; i < BATCH; i++) {
            struct job *job = allocate(sizeof *job);

            (void)uv_queue_work(uv_default_loop(), &job->request, run, join);
        }
        (void)uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    }
    report_each(real_ns() - began, done);
    return 0;
}
