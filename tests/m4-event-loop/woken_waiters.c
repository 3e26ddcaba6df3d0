/* woken_waiters.c - Step 1 and 6: from co_wake on, a waiter is its executor's. */
#include "lab_test.h"
#include "recorder.h"
#include "sockets.h"
#include "transfers.h"

static void (*record)(executor *self, co_handle handle);

/* An executor may use `next` of whom it has been given: see co.h. This one does so at once. */
static void record_and_use_next(executor *self, co_handle handle)
{
    record(self, handle);
    ((task *)handle)->at.awaiting.next = NULL;
}

static void let_two_wait(struct loop_lab *lab, struct recorder *r, task *readers[2], int fd)
{
    for (int i = 0; i < 2; i++) {
        readers[i] = reader(lab, i == 0 ? "R1" : "R2", fd, 1, 1);
        recorder_start(r, readers[i]);
    }
    expect_int("resumptions until both wait", (intptr_t)recorder_run(r), 2);
}

static void expect_both_woken(struct recorder *r, task *readers[2], const char *order)
{
    (void)recorder_run(r);
    expect_trace(order);
    for (int i = 0; i < 2; i++) {
        expect_int("task_destroy(reader)", task_destroy(readers[i]), 0);
    }
}

static void next_is_used_scene(struct loop_lab *lab)
{
    struct recorder r;
    task *readers[2];
    int pair[2];

    open_pair(pair);
    recorder_init(&r);
    record = r.executor.schedule;
    r.executor.schedule = record_and_use_next;
    step("two tasks wait for one socket; their executor uses `next` of a waiter as soon as it is "
         "woken; two bytes come");
    let_two_wait(lab, &r, readers, pair[0]);
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "ab"}));
    run_all(lab);
    expect_both_woken(&r, readers, "R1:a R2:b");

    trace_clear();
    step("the same, and event_loop_cancel wakes them");
    let_two_wait(lab, &r, readers, pair[0]);
    expect_int("event_loop_cancel(loop, fd)", event_loop_cancel(lab->loop, pair[0]), 0);
    expect_both_woken(&r, readers, "R1:ECANCELED R2:ECANCELED");
    close_pair(lab, pair);
}

LAB_TEST(woken_waiter_has_left_the_list)
{
    in_both_modes(next_is_used_scene);
}
