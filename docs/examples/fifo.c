/* fifo.c - who came first is next: TaskA and TaskB take turns.
 *
 *     ./lab trace docs/examples/fifo.c
 */
#include "scheduler.h"

struct greeter {
    task task; /* first: the frame */
    scheduler *scheduler;
};

static void greeter_body(co_handle frame)
{
    struct greeter *self = (struct greeter *)frame;

    CO_BEGIN(self);
    (void)printf("Hello from %s\n", self->task.name);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    (void)printf("Executing the %s\n", self->task.name);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->scheduler));
    (void)printf("%s is finished\n", self->task.name);
    CO_END(self);
}

static task *greeter(const char *name, scheduler *s)
{
    struct greeter *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return NULL;
    }
    self->scheduler = s;
    return task_init(&self->task, name, greeter_body, NULL);
}

int main(void)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    int left;

    (void)printf("\nStart scheduling...\n");
    (void)scheduler_spawn(s, greeter("TaskA", s));
    (void)scheduler_spawn(s, greeter("TaskB", s));
    left = scheduler_run(s);
    (void)printf("\n");
    (void)scheduler_destroy(s);
    return left;
}
