/* task_group.c - optional lab x1: yours to write. README.md goes step by step; task_group.h says what
 * each must do. */
#include "task_group.h"

#include "not_implemented.h"

/* Each task of the group is awaited by a small one of ours, which notes how it ended. */
struct group_member {
    task task;         /* first */
    task_group *group; /* NULL: the group is gone, though this one was running */
    struct task *work; /* what the user gave; NULL: it is being awaited */
    struct group_member *previous, *next;
    /* yours: how it ended, ... */
};

/* ---- Step 13: a task group ----------------------------------------------- */

void task_group_init(task_group *g, scheduler *s)
{
    (void)g;
    (void)s;
    not_implemented();
}

int task_group_spawn(task_group *g, task *t)
{
    (void)g;
    (void)t;
    not_implemented();
}

awaiter task_group_wait(task_group *g)
{
    (void)g;
    not_implemented();
}

size_t task_group_count(const task_group *g)
{
    (void)g;
    not_implemented();
}

void task_group_release(task_group *g)
{
    (void)g;
    not_implemented();
}

/* ---- Step 14: nothing outlives its group --------------------------------- */

int task_group_cancel(task_group *g)
{
    (void)g;
    not_implemented();
}
