/* lifetime.c - Step 6: the loop is made and destroyed, with waiters and without. */
#include "lab_test.h"
#include "recorder.h"
#include "sockets.h"
#include "transfers.h"

#include <errno.h>
#include <unistd.h>

LAB_TEST(destroyed_loop_closes_its_descriptors)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    int before = open_descriptors();

    step("make and destroy 200 loops");
    for (int i = 0; i < 200; i++) {
        event_loop *loop = event_loop_create(s, NULL, i % 2 == 0 ? 0 : EVENT_LOOP_LEVEL_TRIGGERED);

        expect_true("event_loop_create gives a loop", loop != NULL);
        event_loop_destroy(loop);
    }
    event_loop_destroy(NULL);
    expect_int("descriptors open afterwards, against before", open_descriptors(), before);
    scheduler_set_driver(s, NULL);
    expect_int("scheduler_destroy(s)", scheduler_destroy(s), 0);
}

/* Makes a loop while call number n of a kind fails. True: it was made, for that call never came. */
static bool create_without(enum lab_call call, unsigned long n, int error)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    size_t blocks = live_blocks();
    int descriptors = open_descriptors();
    event_loop *loop;

    inject_error(call, n, 1, 1, error);
    errno = 0;
    loop = event_loop_create(s, NULL, 0);
    inject_error(call, 0, 0, 0, 0);
    if (loop == NULL) {
        expect_int("errno after event_loop_create", errno, error);
        expect_int("descriptors open afterwards, against before", open_descriptors(), descriptors);
        expect_int("live blocks of memory afterwards, against before", (intptr_t)live_blocks(),
                   (intptr_t)blocks);
    }
    event_loop_destroy(loop);
    scheduler_set_driver(s, NULL);
    expect_int("scheduler_destroy(s)", scheduler_destroy(s), 0);
    return loop != NULL;
}

LAB_TEST(failed_creation_leaves_nothing)
{
    scheduler *s = scheduler_create(SCHEDULER_FIFO);
    unsigned long n = 1;

    do {
        step("make a loop; the kernel refuses descriptor number %lu of it", n);
    } while (!create_without(CALL_NEW_FD, n++, EMFILE));
    expect_true("a loop needs a descriptor, at least", n > 2);
    n = 1;
    do {
        step("make a loop; the kernel refuses registration number %lu", n);
    } while (!create_without(CALL_EPOLL_CTL, n++, ENOMEM));

    step("make a loop with an unknown option");
    errno = 0;
    expect_true("event_loop_create gives NULL", event_loop_create(s, NULL, 64) == NULL);
    expect_int("errno", errno, EINVAL);
    expect_int("scheduler_destroy(s)", scheduler_destroy(s), 0);
}

static void parked_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    (void)fill(pair[0]);
    step("the scheduler is destroyed while tasks of it wait for a socket");
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, reader(lab, "R", pair[0], 64, 5));
    spawn(lab, writer(lab, "W", pair[0], "text"));
    spawn(lab, later(lab, MILLISECONDS(10), stop_loop, NULL));
    run_all(lab);
    expect_int("scheduler_destroy(s)", scheduler_destroy(lab->s), 0);
    expect_trace("");
    close_pair(lab, pair);
    lab->s = NULL; /* which close_loop_lab may destroy again */
}

LAB_TEST(scheduler_goes_before_the_loop)
{
    in_both_modes(parked_scene);
}

/* Waiters of another executor than the loop's scheduler. */
static void foreign_scene(struct loop_lab *lab)
{
    struct recorder r;
    task *tasks[2];
    int pair[2];

    open_pair(pair);
    recorder_init(&r);
    step("two tasks of another executor read from a socket; at 10 ms data come for the first");
    tasks[0] = reader(lab, "R1", pair[0], 64, 5);
    tasks[1] = reader(lab, "R2", pair[0], 64, 5);
    recorder_start(&r, tasks[0]);
    recorder_start(&r, tasks[1]);
    (void)recorder_run(&r);
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "hello"}));
    spawn(lab, later(lab, MILLISECONDS(20), stop_loop, NULL));
    run_all(lab);
    expect_true("the first is ready", recorder_is_ready(&r, tasks[0]));
    expect_trace("");
    (void)recorder_run(&r);
    expect_trace("R1:hello");

    step("the loop is destroyed while the second still waits");
    event_loop_destroy(lab->loop);
    expect_true("the second is ready", recorder_is_ready(&r, tasks[1]));
    (void)recorder_run(&r);
    expect_trace("R1:hello R2:ECANCELED");
    expect_int("close of the socket, which is still open", close(pair[0]), 0);
    expect_int("close of the other end", close(pair[1]), 0);
    lab->loop = NULL;
    for (int i = 0; i < 2; i++) {
        expect_int("task_destroy(t)", task_destroy(tasks[i]), 0);
    }
}

LAB_TEST(destroyed_loop_wakes_its_waiters)
{
    in_both_modes(foreign_scene);
}
