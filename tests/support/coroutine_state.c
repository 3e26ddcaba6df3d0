/* coroutine_state.c - what one coroutine is doing, for texts on tests that hang or leak, when little can be
 * relied on. So its frame is read through the kernel, which says so if there is no memory where a pointer
 * leads; and what the student's code is to say of a wait, it says in a copy of this process, which may
 * crash or hang.
 */
#include "harness.h"

#include "task.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 100 /* times 10 ms, for the copy */ };

/* Copies as much as can be read; how much. */
static size_t peek(void *copy, const void *memory, size_t size)
{
    struct iovec to = {copy, size};
    struct iovec from = {(void *)(uintptr_t)memory, size};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);

    return got > 0 ? (size_t)got : 0;
}

static void peek_string(char *text, size_t size, const char *memory)
{
    text[peek(text, memory, size - 1)] = '\0';
}

/* What stands `offset` bytes behind a pointer that may be anything. */
static bool peek_member(void *copy, size_t size, const void *memory, size_t offset)
{
    return memory != NULL && peek(copy, (const char *)memory + offset, size) == size;
}

static bool peek_task(struct task *copy, const void *frame)
{
    return peek(copy, frame, sizeof *copy) == sizeof *copy && copy->frame.destroy != NULL;
}

enum coroutine_kind coroutine_kind(const void *frame)
{
    struct task t;

    if (!peek_task(&t, frame)) {
        return COROUTINE_GONE;
    }
    return t.frame.resume == NULL ? COROUTINE_ENDED
           : t.at.running         ? COROUTINE_RUNS
                                  : COROUTINE_WAITS;
}

/* ---- What it waits for ------------------------------------------------------------------------------ */

/* What it waits for, from a copy of this process, into memory that both share. `a` is a copy of the awaiter. */
static void ask_awaiter(const awaiter *original, const awaiter *a, char *text, size_t size)
{
    void (*describe)(const awaiter *, char *, size_t) = NULL;
    const struct timespec moment = {0, 10000000};
    int left = PATIENCE;
    pid_t copy;

    if (!peek_member(&describe, sizeof describe, a->type, offsetof(awaiter_type, await_describe)) ||
        describe == NULL) {
        return;
    }
    copy = (pid_t)syscall(SYS_fork); /* not fork(), which takes the locks of malloc */
    if (copy == 0) {
        int nowhere = open("/dev/null", O_WRONLY);

        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
        describe(original, text, size);
        (void)syscall(SYS_exit_group, 0);
    }
    while (copy > 0 && waitpid(copy, NULL, WNOHANG) == 0 && left-- > 0) {
        (void)nanosleep(&moment, NULL);
    }
    if (left < 0) {
        (void)kill(copy, SIGKILL);
        (void)waitpid(copy, NULL, 0);
    }
    text[size - 1] = '\0';
}

/* The name of the awaiter's type; empty: there is none. */
static void name_wait(char *text, size_t size, const awaiter *a)
{
    const char *name = NULL;

    text[0] = '\0';
    if (peek_member(&name, sizeof name, a->type, offsetof(awaiter_type, name))) {
        peek_string(text, size, name);
    }
}

/* Of the awaiters that name nothing to wait for, only some are waits that are over. */
static bool wait_is_over(const awaiter *a, const char *type)
{
    return a->source == NULL && type[0] != '\0' && strcmp(type, "yield") != 0 &&
           strcmp(type, "suspend_always") != 0;
}

/* Of a task that is suspended and not ready; `t` is a copy of it. */
static void describe_wait(char *text, size_t size, const struct task *t,
                          const struct task *original)
{
    char *wait = case_log->scratch; /* memory that the copy of this process shares */
    const size_t room = sizeof case_log->scratch;

    name_wait(wait, room, &t->at.awaiting);
    if (wait_is_over(&t->at.awaiting, wait)) {
        (void)snprintf(text, size, "; its wait (%s) is over, but nobody has resumed it", wait);
        return;
    }
    ask_awaiter(&original->at.awaiting, &t->at.awaiting, wait, room);
    (void)snprintf(text, size, ", waits for %s", wait[0] != '\0' ? wait : "nothing");
}

static void name_place(char *text, size_t size, const struct task *t)
{
    char file[128];

    peek_string(file, sizeof file, t->at.file);
    (void)snprintf(text, size, "%s:%d", lab_path(file), t->at.line);
}

/* `t` is a copy of the task. */
static void describe(char *text, size_t size, const struct task *t, const struct task *original)
{
    char place[160];
    char wait[160];

    name_place(place, sizeof place, t);
    if (t->at.running && t->at.line == 0) {
        (void)snprintf(text, size, "is running, and has not waited for anything yet");
    } else if (t->at.running) {
        (void)snprintf(text, size, "is running; its latest await is at %s", place);
    } else if (t->at.line == 0) {
        (void)snprintf(text, size, "has not begun%s", t->queued ? ", is in the ready queue" : "");
    } else if (t->queued) {
        (void)snprintf(text, size, "is in the ready queue, to go on from %s", place);
    } else {
        describe_wait(wait, sizeof wait, t, original);
        (void)snprintf(text, size, "is suspended at %s%s", place, wait);
    }
}

static const char *name_of(const struct task *t, char *text, size_t size)
{
    peek_string(text, size, t->name);
    return text[0] != '\0' ? text : "(without a name)";
}

void describe_coroutine(char *text, size_t size, const void *frame)
{
    struct task t;
    char name[48];
    char state[360];

    text[0] = '\0';
    if (peek_task(&t, frame)) {
        describe(state, sizeof state, &t, frame);
        (void)snprintf(text, size, "%s %s", name_of(&t, name, sizeof name), state);
    }
}

void describe_remains(char *text, size_t size, const void *frame)
{
    struct task t;
    char name[48];
    char place[160];

    text[0] = '\0';
    if (!peek_task(&t, frame)) {
        return;
    }
    name_place(place, sizeof place, &t);
    (void)snprintf(text, size, "%s, which %s%s", name_of(&t, name, sizeof name),
                   t.frame.resume == NULL ? "had ended"
                   : t.at.line == 0       ? "had not begun"
                                          : "had come to ",
                   t.frame.resume == NULL || t.at.line == 0 ? "" : place);
}
