/* state.c - the word that says where a coroutine of the pool stands, by itself. */
#include "jobs.h"
#include "lab_test.h"
#include "strand.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static strand *new_strand(task *root)
{
    strand *s = calloc(1, sizeof *s);

    if (s == NULL) {
        fail_test("the test itself: no memory");
    }
    strand_init(s, NULL, root);
    return s;
}

LAB_TEST(strand_waits_is_ready_and_runs)
{
    task *root = silent(NULL, NULL, 0);
    task *child = silent(NULL, NULL, 0);
    strand *s = new_strand(root);

    step("wake a strand that waits");
    expect_true("it has to be put into a queue", strand_wake(s, &root->frame));
    expect_true("the task is queued", root->queued);
    step("begin: it is the task's turn");
    expect_true("strand_begin(s) == &root->frame", strand_begin(s) == &root->frame);
    expect_true("the task is not queued any more", !root->queued);
    step("end: nobody has woken it");
    expect_true("it does not have to be queued again", !strand_end(s));
    step("wake a child of the task, which runs in its place");
    expect_true("it has to be put into a queue", strand_wake(s, &child->frame));
    expect_true("strand_begin(s) == &child->frame", strand_begin(s) == &child->frame);
    expect_true("it does not have to be queued again", !strand_end(s));
    free(s);
    (void)task_destroy(root);
    (void)task_destroy(child);
}

LAB_TEST(strand_is_woken_while_it_runs)
{
    task *root = silent(NULL, NULL, 0);
    task *child = silent(NULL, NULL, 0);
    strand *s = new_strand(root);

    (void)strand_wake(s, &root->frame);
    (void)strand_begin(s);
    for (int i = 0; i < 3; i++) {
        step("while it runs, its child becomes ready");
        expect_true("whoever wakes it does not queue it", !strand_wake(s, &child->frame));
        step("the body returns");
        expect_true("the worker queues it", strand_end(s));
        expect_true("and next is the child's turn", strand_begin(s) == &child->frame);
    }
    expect_true("then nobody has woken it", !strand_end(s));
    free(s);
    (void)task_destroy(root);
    (void)task_destroy(child);
}

static void ignore(executor *self, co_handle handle)
{
    (void)self;
    (void)handle;
}

LAB_TEST(strand_knows_its_own)
{
    task *root = silent(NULL, NULL, 0);
    strand *s = new_strand(root);
    executor other = {ignore, ignore};

    expect_true("a strand's executor is a strand", strand_of(&s->executor) == s);
    expect_true("another executor is none", strand_of(&other) == NULL);
    expect_true("NULL is none", strand_of(NULL) == NULL);
    free(s);
    (void)task_destroy(root);
}

/* Runs in a process of its own; returns if the program is not stopped. */
static void wake_twice(strand *s, task *t)
{
    int nowhere = open("/dev/null", O_WRONLY);

    (void)dup2(nowhere, STDERR_FILENO);
    (void)strand_wake(s, &t->frame);
    (void)strand_wake(s, &t->frame);
}

LAB_TEST(strand_woken_twice_is_noticed)
{
    task *root = silent(NULL, NULL, 0);
    strand *s = new_strand(root);
    int status = 0;
    pid_t child;

    step("wake a strand that is ready already, in a process of its own");
    child = fork();
    if (child == 0) {
        wake_twice(s, root);
        _exit(0);
    }
    (void)waitpid(child, &status, 0);
    expect_true("that process was stopped", !(WIFEXITED(status) && WEXITSTATUS(status) == 0));
    free(s);
    (void)task_destroy(root);
}
