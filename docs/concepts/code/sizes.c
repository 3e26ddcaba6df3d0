/* sizes.c - what a coroutine costs in memory: a frame of this kit, and a stack of its own.
 *
 * Prints lines of `what: number unit`; docs/concepts/stacks.md has them in its tables.
 */
#include "task.h"

#include <netdb.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_SIZE = 262144, PAGE = 4096 };

/* ---- Frames: a struct each ----------------------------------------------- */

struct adder { /* two arguments, one local: the C++ `one` of frame_sizes.cpp */
    task task;
    intptr_t a, b, x;
};

static void print_frames(void)
{
    (void)printf("two pointers: %zu bytes\n", sizeof(struct co_frame));
    (void)printf("awaiter: %zu bytes\n", sizeof(awaiter));
    (void)printf("task: %zu bytes\n", sizeof(task));
    (void)printf("task, two arguments, one local: %zu bytes\n", sizeof(struct adder));
}

/* ---- Stacks: how deep a function reaches into a fresh one ---------------- */

static ucontext_t caller, coroutine;

static void suspends(void)
{
    (void)swapcontext(&coroutine, &caller);
}

static void formats(void)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%d %g\n", 42, 0.5);
}

static void resolves(void)
{
    struct addrinfo *found;

    if (getaddrinfo("localhost", "80", NULL, &found) == 0) {
        freeaddrinfo(found);
    }
}

static void run_on(unsigned char *stack, void (*body)(void))
{
    (void)getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = STACK_SIZE;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, body, 0);
    (void)swapcontext(&caller, &coroutine);
}

static void measure(const char *what, void (*body)(void))
{
    unsigned char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    size_t untouched = 0;

    if (stack == MAP_FAILED) {
        abort();
    }
    run_on(stack, body);
    while (untouched < STACK_SIZE && stack[untouched] == 0) {
        untouched++;
    }
    (void)printf("%s: %zu bytes of stack, in %zu pages\n", what, STACK_SIZE - untouched,
                 (STACK_SIZE - untouched + PAGE - 1) / PAGE);
    (void)munmap(stack, STACK_SIZE);
}

int main(void)
{
    print_frames();
    (void)printf("ucontext_t: %zu bytes\n", sizeof(ucontext_t));
    measure("suspends at once", suspends);
    measure("calls snprintf with %g", formats);
    measure("calls getaddrinfo", resolves);
    return 0;
}
