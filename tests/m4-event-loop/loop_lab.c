/* loop_lab.c - a scheduler, timers and an event loop on virtual time. */
#include "loop_lab.h"

#include "lab_test.h"

static void open_parts(struct loop_lab *lab, lab_clock *clock, unsigned options)
{
    lab->descriptors = open_descriptors();
    lab->s = scheduler_create(SCHEDULER_FIFO);
    lab->t = timers_create(clock);
    expect_true("there are a scheduler and timers", lab->s != NULL && lab->t != NULL);
    lab->loop = event_loop_create(lab->s, lab->t, options);
    expect_true("event_loop_create gives a loop", lab->loop != NULL);
}

void open_loop_lab(struct loop_lab *lab, unsigned options)
{
    virtual_clock_init(&lab->v, 0);
    use_virtual_time(&lab->v);
    open_parts(lab, &lab->v.clock, options);
}

void open_real_loop_lab(struct loop_lab *lab, unsigned options)
{
    use_virtual_time(NULL);
    open_parts(lab, lab_clock_monotonic(), options);
}

void close_loop_lab(struct loop_lab *lab)
{
    expect_int("scheduler_destroy(s)", scheduler_destroy(lab->s), 0);
    event_loop_destroy(lab->loop);
    timers_destroy(lab->t);
    expect_int("descriptors that are open after all, against before", open_descriptors(),
               lab->descriptors);
}

void in_both_modes(void (*scene)(struct loop_lab *lab))
{
    struct loop_lab lab;

    for (unsigned options = 0; options <= EVENT_LOOP_LEVEL_TRIGGERED; options++) {
        step("the loop is %s-triggered", options == 0 ? "edge" : "level");
        trace_clear();
        open_loop_lab(&lab, options);
        scene(&lab);
        close_loop_lab(&lab);
    }
}

void spawn(struct loop_lab *lab, task *t)
{
    expect_int("scheduler_spawn(s, task)", scheduler_spawn(lab->s, t), 0);
}

task *start(struct loop_lab *lab, task *t)
{
    expect_int("scheduler_start(s, task)", scheduler_start(lab->s, t), 0);
    return t;
}

void run_all(struct loop_lab *lab)
{
    expect_int("event_loop_run(loop)", event_loop_run(lab->loop), 0);
}

struct later {
    task task;
    struct loop_lab *lab;
    int64_t delay;
    void (*act)(struct loop_lab *lab, void *context);
    void *context;
};

static void later_body(co_handle frame)
{
    struct later *self = (struct later *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, self->delay));
    watch_calls(false);
    self->act(self->lab, self->context);
    watch_calls(true);
    CO_END(self);
}

task *later(struct loop_lab *lab, int64_t delay, void (*act)(struct loop_lab *lab, void *context),
            void *context)
{
    struct later *self = malloc(sizeof *self);

    self->lab = lab;
    self->delay = delay;
    self->act = act;
    self->context = context;
    return task_init(&self->task, "later", later_body, NULL);
}
