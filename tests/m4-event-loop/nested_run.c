/* nested_run.c - Step 7: a run inside the run. */
#include "lab_test.h"
#include "loop_lab.h"

#include <errno.h>
#include <stdlib.h>

struct nester {
    task task;
    struct loop_lab *lab;
};

static void nester_body(co_handle frame)
{
    struct nester *self = (struct nester *)frame;

    CO_BEGIN(self);
    event_loop_stop(self->lab->loop);
    expect_int("event_loop_run(loop), inside the run", event_loop_run(self->lab->loop), -EBUSY);
    trace("first-run");
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    trace("second-run");
    CO_END(self);
}

static void nested_scene(struct loop_lab *lab)
{
    struct nester *self = malloc(sizeof *self);

    step("a task stops the loop, then calls event_loop_run itself, and yields");
    *self = (struct nester){.lab = lab};
    spawn(lab, task_init(&self->task, "nester", nester_body, NULL));
    run_all(lab);
    expect_trace("first-run");
    step("the loop runs again");
    run_all(lab);
    expect_trace("first-run second-run");
}

LAB_TEST(refused_run_takes_no_stop)
{
    in_both_modes(nested_scene);
}
