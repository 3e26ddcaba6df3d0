/* printers.c - three coroutines print their names in turn: each yields after every letter.
 *
 *     ./lab trace docs/examples/printers.c
 */
#include "scheduler.h"

struct printer {
    task task; /* first: the frame */
    scheduler *scheduler;
    int printed;
};

static void printer_body(co_handle frame)
{
    struct printer *self = (struct printer *)frame;

    CO_BEGIN(self);
    for (self->printed = 0; self->printed < 3; self->printed++) {
        (void)printf("%s", self->task.name);
        CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    }
    CO_END(self);
}

static task *printer(const char *name, scheduler *s)
{
    struct printer *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->scheduler = s;
    return task_init(&self->task, name, printer_body, NULL);
}

int main(void)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    int left;

    (void)scheduler_spawn(s, printer("A", s));
    (void)scheduler_spawn(s, printer("B", s));
    (void)scheduler_spawn(s, printer("C", s));
    left = scheduler_run(s);
    (void)printf("\n");
    (void)scheduler_destroy(s);
    return left;
}
