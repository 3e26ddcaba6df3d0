/* latches.c - a latch opens once, for all. */
#include "actors.h"
#include "lab_test.h"
#include "latch.h"
#include "recorder.h"

#include <errno.h>
#include <string.h>

LAB_TEST(latch_opens)
{
    struct sync_lab lab;
    struct outcome a, b;
    latch l;

    open_sync_lab(&lab);
    latch_init(&l, 2);
    step("two wait for a latch of 2");
    spawn(&lab, awaits(&lab, "A", latch_wait(&l), &a));
    spawn(&lab, awaits(&lab, "B", latch_wait(&l), &b));
    run_ready(&lab);
    step("count down by 1: it is still closed");
    expect_int("latch_count_down(l, 1)", latch_count_down(&l, 1), 0);
    run_ready(&lab);
    expect_waiting("A", &a);
    expect_waiting("B", &b);
    step("and by 1 again: it opens for both, in their order");
    expect_int("latch_count_down(l, 1)", latch_count_down(&l, 1), 0);
    run_all(&lab);
    expect_outcome("A's await", &a, 0);
    expect_outcome("B's await", &b, 0);
    expect_trace("A B");
    latch_destroy(&l);
    close_sync_lab(&lab);
}

LAB_TEST(latch_late_waiter)
{
    struct sync_lab lab;
    struct recorder recorder;
    struct outcome o;
    task *t;
    latch open, opened;

    open_sync_lab(&lab);
    latch_init(&open, 0);
    latch_init(&opened, 1);
    expect_int("latch_count_down(l, 1)", latch_count_down(&opened, 1), 0);
    step("wait for a latch that was open from the start, and for one that has opened: nobody "
         "suspends");
    t = awaits(&lab, "A", latch_wait(&open), &o);
    expect_int("task_resume(A)", task_resume(t), 0);
    expect_outcome("A's await", &o, 0);
    destroy(t);
    t = awaits(&lab, "B", latch_wait(&opened), &o);
    expect_int("task_resume(B)", task_resume(t), 0);
    expect_outcome("B's await", &o, 0);
    destroy(t);
    step("nor who has an executor, which could wake it");
    recorder_init(&recorder);
    t = awaits(&lab, "C", latch_wait(&opened), &o);
    recorder_start(&recorder, t);
    expect_true("it was resumed", recorder_resume(&recorder) == &t->frame);
    expect_outcome("C's await", &o, 0);
    destroy(t);
    latch_destroy(&open);
    latch_destroy(&opened);
    close_sync_lab(&lab);
}

LAB_TEST(latch_below_zero)
{
    latch l;

    latch_init(&l, 2);
    step("count a latch of 2 down by 3");
    expect_int("latch_count_down(l, 3)", latch_count_down(&l, 3), -EINVAL);
    step("nothing has changed: it counts down by 2, and then no more");
    expect_int("latch_count_down(l, 2)", latch_count_down(&l, 2), 0);
    expect_int("latch_count_down(l, 1)", latch_count_down(&l, 1), -EINVAL);
    expect_int("latch_count_down(l, 0)", latch_count_down(&l, 0), 0);
    latch_destroy(&l);
}

LAB_TEST(latch_counts_several)
{
    struct sync_lab lab;
    struct outcome o;
    latch l;

    open_sync_lab(&lab);
    latch_init(&l, 10);
    spawn(&lab, awaits(&lab, "A", latch_wait(&l), &o));
    run_ready(&lab);
    step("count a latch of 10 down by 4, by 0, and by 5");
    expect_int("latch_count_down(l, 4)", latch_count_down(&l, 4), 0);
    expect_int("latch_count_down(l, 0)", latch_count_down(&l, 0), 0);
    expect_int("latch_count_down(l, 5)", latch_count_down(&l, 5), 0);
    run_ready(&lab);
    expect_waiting("A", &o);
    step("and by 1");
    expect_int("latch_count_down(l, 1)", latch_count_down(&l, 1), 0);
    run_ready(&lab);
    expect_outcome("A's await", &o, 0);
    latch_destroy(&l);
    close_sync_lab(&lab);
}

LAB_TEST(latch_waiter_destroyed)
{
    struct sync_lab lab;
    struct outcome a, b, c;
    task *first, *second;
    latch l;

    open_sync_lab(&lab);
    latch_init(&l, 1);
    first = start(&lab, awaits(&lab, "A", latch_wait(&l), &a));
    second = start(&lab, awaits(&lab, "B", latch_wait(&l), &b));
    spawn(&lab, awaits(&lab, "C", latch_wait(&l), &c));
    run_ready(&lab);
    step("of three that wait, destroy the first; open the latch, and destroy the second");
    destroy(first);
    expect_int("latch_count_down(l, 1)", latch_count_down(&l, 1), 0);
    destroy(second);
    run_ready(&lab);
    step("the third one goes on");
    expect_outcome("C's await", &c, 0);
    latch_destroy(&l);
    close_sync_lab(&lab);
}

LAB_TEST(latch_destroyed)
{
    struct sync_lab lab;
    struct outcome a, b, alone;
    task *first, *t;
    latch l;

    open_sync_lab(&lab);
    latch_init(&l, 1);
    step("who has no executor cannot wait for a latch that is closed");
    t = awaits(&lab, "H", latch_wait(&l), &alone);
    expect_int("task_resume(H)", task_resume(t), 0);
    expect_outcome("H's await", &alone, -EINVAL);
    destroy(t);
    step("destroy a latch while two wait for it");
    first = start(&lab, awaits(&lab, "A", latch_wait(&l), &a));
    spawn(&lab, awaits(&lab, "B", latch_wait(&l), &b));
    run_ready(&lab);
    latch_destroy(&l);
    memset(&l, 0xA5, sizeof l);
    destroy(first);
    run_ready(&lab);
    expect_outcome("B's await", &b, -ECANCELED);
    close_sync_lab(&lab);
}
