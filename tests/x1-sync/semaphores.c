/* semaphores.c - so many at a time, in the order in which they came. */
#include "actors.h"
#include "lab_test.h"
#include "semaphore.h"

#include <errno.h>
#include <string.h>

/* ---- Users --------------------------------------------------------------- */

struct user {
    task task;
    struct sync_lab *lab;
    const char *name;
    semaphore *semaphore;
    int *inside;
    intptr_t got;
};

static void user_body(co_handle frame)
{
    struct user *self = (struct user *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->got, semaphore_acquire(self->semaphore, 1));
    expect_int("the await of semaphore_acquire(s, 1)", self->got, 0);
    ++*self->inside;
    trace("%s/%d", self->name, *self->inside);
    CO_AWAIT(self, self->task.ignored, sleep_for(self->lab->t, MILLISECONDS(10)));
    --*self->inside;
    expect_int("semaphore_release(s, 1)", semaphore_release(self->semaphore, 1), 0);
    CO_END(self);
}

static task *user(struct sync_lab *lab, const char *name, semaphore *s, int *inside)
{
    struct user *self = malloc(sizeof *self);

    *self = (struct user){.lab = lab, .name = name, .semaphore = s, .inside = inside};
    return task_init(&self->task, "user", user_body, NULL);
}

LAB_TEST(semaphore_limit)
{
    static const char *const names[] = {"A", "B", "C", "D", "E"};
    struct sync_lab lab;
    semaphore s;
    int inside = 0;

    open_sync_lab(&lab);
    semaphore_init(&s, 2);
    step("five coroutines each need one of 2 permits for 10 ms");
    for (int i = 0; i < 5; i++) {
        spawn(&lab, user(&lab, names[i], &s, &inside));
    }
    run_all(&lab);
    expect_trace("A/1 B/2 C/1 D/2 E/1");
    expect_time("the clock", lab.v.time, MILLISECONDS(30), MILLISECONDS(30));
    semaphore_destroy(&s);
    close_sync_lab(&lab);
}

/* ---- Who waits ----------------------------------------------------------- */

/* A semaphore without permits, and up to three that wait for some. */
struct line {
    struct sync_lab lab;
    semaphore s;
    task *waiter[3];
    struct outcome outcome[3];
};

static void open_line(struct line *line, size_t a, size_t b, size_t c)
{
    static const char *const names[] = {"A", "B", "C"};
    const size_t wanted[] = {a, b, c};

    open_sync_lab(&line->lab);
    semaphore_init(&line->s, 0);
    for (int i = 0; i < 3; i++) {
        awaiter await = semaphore_acquire(&line->s, wanted[i]);

        line->waiter[i] = start(&line->lab, awaits(&line->lab, names[i], await, &line->outcome[i]));
    }
    run_ready(&line->lab);
    trace_clear();
}

static void close_line(struct line *line)
{
    for (int i = 0; i < 3; i++) {
        destroy(line->waiter[i]);
    }
    semaphore_destroy(&line->s);
    close_sync_lab(&line->lab);
}

static void give(struct line *line, size_t n)
{
    expect_int("semaphore_release(s, n)", semaphore_release(&line->s, n), 0);
    run_ready(&line->lab);
}

LAB_TEST(semaphore_order)
{
    struct line line;

    open_line(&line, 1, 1, 1);
    step("three wait for one permit each; release one after the other");
    give(&line, 1);
    expect_trace("A");
    give(&line, 1);
    expect_trace("A B");
    give(&line, 1);
    expect_trace("A B C");
    expect_int("semaphore_try_acquire(s, 1): all are given away", semaphore_try_acquire(&line.s, 1),
               -EAGAIN);
    close_line(&line);
}

LAB_TEST(semaphore_big_one_is_not_overtaken)
{
    struct line line;

    open_line(&line, 3, 1, 1);
    step("A wants 3 permits, B and C want one each; release 2: they are for A, who waits longest");
    give(&line, 2);
    expect_trace("");
    step("who comes now cannot have them either");
    expect_int("semaphore_try_acquire(s, 1)", semaphore_try_acquire(&line.s, 1), -EAGAIN);
    step("release 1 more, and another one");
    give(&line, 1);
    expect_trace("A");
    give(&line, 1);
    expect_trace("A B");
    expect_waiting("C", &line.outcome[2]);
    close_line(&line);
}

LAB_TEST(semaphore_newcomer_goes_to_the_end)
{
    struct line line;
    struct outcome o;

    open_line(&line, 3, 1, 1);
    give(&line, 2);
    step("2 permits are there, A waits for 3, and a newcomer wants one");
    spawn(&line.lab, awaits(&line.lab, "N", semaphore_acquire(&line.s, 1), &o));
    run_ready(&line.lab);
    expect_waiting("the newcomer", &o);
    give(&line, 4);
    expect_trace("A B C N");
    close_line(&line);
}

LAB_TEST(semaphore_release_wakes_several)
{
    struct line line;

    open_line(&line, 2, 1, 2);
    step("A wants 2 permits, B wants 1, C wants 2; release 4: enough for A and B");
    give(&line, 4);
    expect_trace("A B");
    step("one is left; release 1 more: that makes 2");
    give(&line, 1);
    expect_trace("A B C");
    expect_int("semaphore_try_acquire(s, 1)", semaphore_try_acquire(&line.s, 1), -EAGAIN);
    close_line(&line);
}

LAB_TEST(semaphore_giving_up_lets_others)
{
    struct line line;

    open_line(&line, 3, 1, 1);
    give(&line, 2);
    expect_trace("");
    step("2 permits are there, but A, who is first, wants 3; destroy A");
    destroy(task_take(&line.waiter[0]));
    run_ready(&line.lab);
    step("B and C want one each: they have waited for A's turn only");
    expect_trace("B C");
    close_line(&line);
}

LAB_TEST(semaphore_given_and_destroyed)
{
    struct line line;

    open_line(&line, 2, 1, 1);
    step("give A its 2 permits, and destroy it before it has run");
    expect_int("semaphore_release(s, 2)", semaphore_release(&line.s, 2), 0);
    destroy(task_take(&line.waiter[0]));
    run_ready(&line.lab);
    step("B and C get them");
    expect_trace("B C");
    step("nothing is lost, and nothing too much: after 2 more, there are 2");
    give(&line, 2);
    expect_int("semaphore_try_acquire(s, 3)", semaphore_try_acquire(&line.s, 3), -EAGAIN);
    expect_int("semaphore_try_acquire(s, 2)", semaphore_try_acquire(&line.s, 2), 0);
    close_line(&line);
}

LAB_TEST(semaphore_destroyed)
{
    struct line line;

    open_line(&line, 1, 2, 3);
    step("destroy the semaphore while three wait for it; A is destroyed before it went on");
    semaphore_destroy(&line.s);
    memset(&line.s, 0xA5, sizeof line.s);
    destroy(task_take(&line.waiter[0]));
    run_ready(&line.lab);
    expect_outcome("B's await", &line.outcome[1], -ECANCELED);
    expect_outcome("C's await", &line.outcome[2], -ECANCELED);
    semaphore_init(&line.s, 0);
    close_line(&line);
}

/* ---- Numbers ------------------------------------------------------------- */

LAB_TEST(semaphore_try)
{
    semaphore s;

    semaphore_init(&s, 3);
    step("of 3 permits, try to take 4, then 2, 2, 1, and 0");
    expect_int("semaphore_try_acquire(s, 4)", semaphore_try_acquire(&s, 4), -EAGAIN);
    expect_int("semaphore_try_acquire(s, 2)", semaphore_try_acquire(&s, 2), 0);
    expect_int("semaphore_try_acquire(s, 2)", semaphore_try_acquire(&s, 2), -EAGAIN);
    expect_int("semaphore_try_acquire(s, 1)", semaphore_try_acquire(&s, 1), 0);
    expect_int("semaphore_try_acquire(s, 0)", semaphore_try_acquire(&s, 0), 0);
    expect_int("semaphore_release(s, 1)", semaphore_release(&s, 1), 0);
    expect_int("semaphore_try_acquire(s, 1)", semaphore_try_acquire(&s, 1), 0);
    semaphore_destroy(&s);
}

LAB_TEST(semaphore_limits)
{
    struct sync_lab lab;
    struct outcome o;
    task *t;
    semaphore s;

    open_sync_lab(&lab);
    semaphore_init(&s, (size_t)INTPTR_MAX - 1);
    step("release up to INTPTR_MAX, and one more");
    expect_int("semaphore_release(s, 1)", semaphore_release(&s, 1), 0);
    expect_int("semaphore_release(s, 1)", semaphore_release(&s, 1), -EOVERFLOW);
    expect_int("semaphore_release(s, SIZE_MAX)", semaphore_release(&s, SIZE_MAX), -EOVERFLOW);
    step("all can be acquired at once, but not more than there can ever be");
    spawn(&lab, awaits(&lab, "A", semaphore_acquire(&s, (size_t)INTPTR_MAX), &o));
    run_ready(&lab);
    expect_outcome("the await of INTPTR_MAX permits", &o, 0);
    spawn(&lab, awaits(&lab, "B", semaphore_acquire(&s, (size_t)INTPTR_MAX + 1), &o));
    run_ready(&lab);
    expect_outcome("the await of INTPTR_MAX + 1 permits", &o, -EINVAL);
    step("who has no executor cannot wait");
    t = awaits(&lab, "H", semaphore_acquire(&s, 1), &o);
    expect_int("task_resume(H)", task_resume(t), 0);
    expect_outcome("H's await", &o, -EINVAL);
    destroy(t);
    expect_int("semaphore_release(s, 1): nobody waits", semaphore_release(&s, 1), 0);
    expect_int("semaphore_try_acquire(s, 1)", semaphore_try_acquire(&s, 1), 0);
    semaphore_destroy(&s);
    close_sync_lab(&lab);
}
