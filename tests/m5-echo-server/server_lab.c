/* server_lab.c - an echo server on a loop on virtual time. */
#include "server_lab.h"

#include "lab_test.h"

#include <errno.h>

static void open_parts(struct server_lab *lab, lab_clock *clock)
{
    lab->descriptors = open_descriptors();
    lab->s = scheduler_create(SCHEDULER_FIFO);
    lab->t = timers_create(clock);
    lab->loop = event_loop_create(lab->s, lab->t, 0);
    lab->server = NULL;
    expect_true("there are a scheduler, timers and a loop",
                lab->s != NULL && lab->t != NULL && lab->loop != NULL);
}

void open_server_lab(struct server_lab *lab)
{
    virtual_clock_init(&lab->v, 0);
    use_virtual_time(&lab->v);
    open_parts(lab, &lab->v.clock);
}

void open_real_server_lab(struct server_lab *lab)
{
    use_virtual_time(NULL);
    open_parts(lab, lab_clock_monotonic());
}

void start_server(struct server_lab *lab, const echo_server_options *options)
{
    static echo_server_options given;

    given = *options;
    expect_int("echo_server_start(&server, loop, options)",
               echo_server_start(&lab->server, lab->loop, &given), 0);
    given = (echo_server_options){.port = 0};
}

void close_server_lab(struct server_lab *lab)
{
    expect_int("scheduler_destroy(s)", scheduler_destroy(lab->s), 0);
    echo_server_destroy(lab->server);
    event_loop_destroy(lab->loop);
    timers_destroy(lab->t);
    expect_int("descriptors that are open after all, against before", open_descriptors(),
               lab->descriptors);
}

struct pause {
    task task;
    timers *timers;
    int64_t duration;
};

static void pause_body(co_handle frame)
{
    struct pause *self = (struct pause *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->timers, self->duration));
    CO_END(self);
}

static void keep_frame(co_handle frame)
{
    (void)frame;
}

/* Allocates nothing itself, for cases in which allocations fail. If one hits the scheduler or the
 * timers here, it is not the server's fault: once more. */
void let_pass(struct server_lab *lab, int64_t duration)
{
    struct pause self = {.timers = lab->t, .duration = duration};
    task *t = task_init(&self.task, "pause", pause_body, keep_frame);
    int result = scheduler_block_on(lab->s, t, NULL);

    if (result == -ENOMEM) {
        result = scheduler_block_on(lab->s, t, NULL);
    }
    expect_int("running the loop for a while", result, 0);
}

void run_out(struct server_lab *lab)
{
    expect_int("event_loop_run(loop)", event_loop_run(lab->loop), 0);
}

void run_out_drained(struct server_lab *lab, const int64_t *at)
{
    run_out(lab);
    expect_time("how long somebody slept on when the server had drained", lab->v.time - *at, 0,
                MILLISECONDS(1));
}

struct drain_waiter {
    task task;
    struct server_lab *lab;
    intptr_t *value;
    int64_t *at;
};

static void drain_waiter_body(co_handle frame)
{
    struct drain_waiter *self = (struct drain_waiter *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, *self->value, echo_server_drained(self->lab->server));
    *self->at = self->lab->v.time;
    CO_END(self);
}

void await_drained(struct server_lab *lab, intptr_t *value, int64_t *at)
{
    struct drain_waiter *self = malloc(sizeof *self);

    *value = -1;
    *at = -1;
    self->lab = lab;
    self->value = value;
    self->at = at;
    expect_int(
        "scheduler_spawn(s, task)",
        scheduler_spawn(lab->s, task_init(&self->task, "drain_waiter", drain_waiter_body, NULL)),
        0);
}
