/* latch.c - two wait until a latch has been counted down twice. Who comes late does not wait. */
#include "latch.h"
#include "scheduler.h"

struct waiting {
    task task; /* first: the frame */
    latch *latch;
    int *passed;
};

static void waiting_body(co_handle frame)
{
    struct waiting *self = (struct waiting *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, latch_wait(self->latch));
    (*self->passed)++;
    CO_END(self);
}

static task *waiting(latch *l, int *passed)
{
    struct waiting *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->latch = l;
    self->passed = passed;
    return task_init(&self->task, "waiting", waiting_body, NULL);
}

int main(void)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    latch two, three;
    int passed = 0, passed_three = 0;
    task *late;

    latch_init(&two, 2);
    latch_init(&three, 3);
    (void)scheduler_spawn(s, waiting(&two, &passed));
    (void)scheduler_spawn(s, waiting(&two, &passed));
    (void)scheduler_run(s);
    (void)latch_count_down(&two, 1);
    (void)scheduler_run(s);
    (void)printf("after the first count_down: %d\n", passed);
    (void)latch_count_down(&two, 1);
    (void)scheduler_run(s);
    (void)printf("after the second: %d\n", passed);

    late = waiting(&two, &passed);
    (void)task_resume(late);
    (void)printf("a late one does not suspend: %d\n", task_done(late));
    (void)task_destroy(late);

    (void)scheduler_spawn(s, waiting(&three, &passed_three));
    (void)scheduler_run(s);
    (void)latch_count_down(&three, 3);
    (void)scheduler_run(s);
    (void)printf("after count_down(3): %d\n", passed_three);
    (void)scheduler_destroy(s);
    latch_destroy(&two);
    latch_destroy(&three);
    return 0;
}
