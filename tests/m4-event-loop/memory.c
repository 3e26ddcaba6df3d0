/* memory.c - Step 7: out of memory is an error code, and nobody is lost. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PAIRS = 3, HIGH = 300 };

/* Reads a byte from a descriptor; if there is no memory for that, tries again. */
struct retrier {
    task task;
    event_loop **loop;
    int fd;
    int failures;
    intptr_t n;
    char byte;
};

static void retrier_body(co_handle frame)
{
    struct retrier *self = (struct retrier *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, event_loop_read(*self->loop, self->fd, &self->byte, 1));
    if (self->n == -ENOMEM) {
        self->failures++;
        CO_AWAIT(self, self->n, event_loop_read(*self->loop, self->fd, &self->byte, 1));
    }
    expect_int("the value of the read, at last", self->n, 1);
    CO_END(self);
}

/* Made before the memory runs out; says a byte to everybody when all of them wait. */
struct talker {
    task task;
    struct loop_lab *lab;
    int (*pairs)[2];
};

static void talker_body(co_handle frame)
{
    struct talker *self = (struct talker *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->task.ignored, scheduler_yield(self->lab->s));
    for (int i = 0; i < PAIRS; i++) {
        say(self->lab, &(struct speech){self->pairs[i][1], "x"});
    }
    CO_END(self);
}

static void keep_frame(co_handle frame)
{
    (void)frame;
}

/* A loop is made and used while allocation number n fails. Returns how many there were. */
static unsigned long run_without_memory(unsigned options, unsigned long n)
{
    struct loop_lab lab = {0};
    struct retrier retriers[PAIRS];
    int pairs[PAIRS][2];
    struct talker talker = {.lab = &lab, .pairs = pairs};
    unsigned long allocations;
    int failures = 0;

    virtual_clock_init(&lab.v, 0);
    use_virtual_time(&lab.v);
    lab.descriptors = open_descriptors();
    lab.s = scheduler_create(SCHEDULER_FIFO);
    for (int i = 0; i < PAIRS; i++) { /* numbers far apart, the highest first */
        int fd;

        open_pair(pairs[i]);
        fd = fcntl(pairs[i][0], F_DUPFD_CLOEXEC, HIGH * (PAIRS - i));
        expect_true("the test could move a descriptor", fd >= 0);
        (void)close(pairs[i][0]);
        pairs[i][0] = fd;
        retriers[i] = (struct retrier){.loop = &lab.loop, .fd = fd};
        start(&lab, task_init(&retriers[i].task, "retrier", retrier_body, keep_frame));
    }
    start(&lab, task_init(&talker.task, "talker", talker_body, keep_frame));
    step("three tasks read, and allocation number %lu fails", n);
    fail_allocation(n);
    errno = 0;
    lab.loop = event_loop_create(lab.s, NULL, options);
    if (lab.loop == NULL) {
        expect_int("errno after event_loop_create", errno, ENOMEM);
        failures = 1;
        lab.loop = event_loop_create(lab.s, NULL, options);
        expect_true("event_loop_create, called again, gives a loop", lab.loop != NULL);
    }
    run_all(&lab);
    allocations = allocation_count();
    fail_allocation(0);
    for (int i = 0; i < PAIRS; i++) {
        failures += retriers[i].failures;
        close_pair(&lab, pairs[i]);
    }
    expect_between("how many failures were told", failures, 0, n <= allocations);
    close_loop_lab(&lab);
    return allocations;
}

LAB_TEST(no_memory_is_an_error_code)
{
    for (unsigned options = 0; options <= EVENT_LOOP_LEVEL_TRIGGERED; options++) {
        unsigned long n = 1;

        while (n <= run_without_memory(options, n)) {
            n++;
        }
        expect_true("event_loop_create, at least, allocates", n > 1);
    }
}
