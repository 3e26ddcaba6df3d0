/* mutex_free.c - a mutex that nobody waits for. */
#include "actors.h"
#include "lab_test.h"

#include <errno.h>

/* Handles of coroutines that never run. */
static struct co_frame me, you;

LAB_TEST(mutex_free)
{
    struct sync_lab lab;
    struct outcome first, second;
    task *t, *u;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    step("lock a free mutex");
    t = start(&lab, awaits(&lab, "A", mutex_lock(&m), &first));
    run_ready(&lab);
    expect_outcome("the await of mutex_lock(m)", &first, 0);
    step("unlock it, and let another one lock it");
    expect_int("mutex_unlock(m, A)", mutex_unlock(&m, &t->frame), 0);
    u = start(&lab, awaits(&lab, "B", mutex_lock(&m), &second));
    run_ready(&lab);
    expect_outcome("B's await of mutex_lock(m)", &second, 0);
    expect_int("mutex_unlock(m, B)", mutex_unlock(&m, &u->frame), 0);
    destroy(t);
    destroy(u);
    mutex_destroy(&m);
    close_sync_lab(&lab);
}

LAB_TEST(mutex_try_lock)
{
    mutex m;

    mutex_init(&m);
    step("try a free mutex, then one that is taken");
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    expect_int("mutex_try_lock(m, you)", mutex_try_lock(&m, &you), -EBUSY);
    step("the owner tries again");
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), -EDEADLK);
    step("unlock it: it is free for the other one");
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), 0);
    expect_int("mutex_try_lock(m, you)", mutex_try_lock(&m, &you), 0);
    expect_int("mutex_unlock(m, you)", mutex_unlock(&m, &you), 0);
    mutex_destroy(&m);
}

LAB_TEST(mutex_unlock_by_another)
{
    mutex m;

    mutex_init(&m);
    step("unlock a mutex that nobody has");
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), -EPERM);
    expect_int("mutex_unlock(m, NULL)", mutex_unlock(&m, NULL), -EPERM);
    step("lock it, and let another one unlock it");
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    expect_int("mutex_unlock(m, you)", mutex_unlock(&m, &you), -EPERM);
    step("that has changed nothing: it is still mine");
    expect_int("mutex_try_lock(m, you)", mutex_try_lock(&m, &you), -EBUSY);
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), 0);
    expect_int("mutex_unlock(m, me) again", mutex_unlock(&m, &me), -EPERM);
    mutex_destroy(&m);
}

LAB_TEST(mutex_twice)
{
    struct sync_lab lab;
    struct outcome o;
    struct outcome again;
    task *t;
    mutex m;

    open_sync_lab(&lab);
    mutex_init(&m);
    step("A locks the mutex, and then awaits it again");
    t = awaits(&lab, "A", mutex_lock(&m), &again);
    expect_int("mutex_try_lock(m, A)", mutex_try_lock(&m, &t->frame), 0);
    start(&lab, t);
    run_ready(&lab);
    expect_outcome("A's await of mutex_lock(m)", &again, -EDEADLK);
    step("it still has it, once");
    spawn(&lab, awaits(&lab, "B", mutex_lock(&m), &o));
    run_ready(&lab);
    expect_waiting("B", &o);
    expect_int("mutex_unlock(m, A)", mutex_unlock(&m, &t->frame), 0);
    run_ready(&lab);
    expect_outcome("B's await of mutex_lock(m)", &o, 0);
    destroy(t);
    close_sync_lab(&lab);
    mutex_destroy(&m);
}

LAB_TEST(mutex_without_executor)
{
    struct sync_lab lab = {.s = NULL};
    struct outcome o;
    task *t;
    mutex m;

    mutex_init(&m);
    step("a coroutine that is resumed by hand locks a mutex that is taken: nobody could wake it");
    expect_int("mutex_try_lock(m, me)", mutex_try_lock(&m, &me), 0);
    t = awaits(&lab, "A", mutex_lock(&m), &o);
    expect_int("task_resume(A)", task_resume(t), 0);
    expect_outcome("the await of mutex_lock(m)", &o, -EINVAL);
    destroy(t);
    expect_int("mutex_unlock(m, me)", mutex_unlock(&m, &me), 0);
    step("a free one it can lock");
    t = awaits(&lab, "B", mutex_lock(&m), &o);
    expect_int("task_resume(B)", task_resume(t), 0);
    expect_outcome("the await of mutex_lock(m)", &o, 0);
    expect_int("mutex_unlock(m, B)", mutex_unlock(&m, &t->frame), 0);
    destroy(t);
    mutex_destroy(&m);
}
