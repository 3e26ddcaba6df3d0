/* small_stack.c - makes recursion visible: on a stack that does not forgive it. */
#include "harness.h"

#include <limits.h>
#include <pthread.h>

/* Sanitizers make frames several times as big. */
enum { SMALL_STACK = (UNDER_ASAN || UNDER_TSAN ? 4 : 1) * 256 * 1024 };

struct call {
    void (*function)(void *);
    void *argument;
};

static void *thread_main(void *argument)
{
    const struct call *call = argument;

    worker_begins();
    call->function(call->argument);
    worker_ends();
    return NULL;
}

void run_on_small_stack(void (*function)(void *), void *argument)
{
    struct call call = {function, argument};
    pthread_attr_t attributes;
    pthread_t thread;

    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, SMALL_STACK) != 0 ||
        pthread_create(&thread, &attributes, thread_main, &call) != 0) {
        fail_test("the test itself: cannot start a thread");
    }
    (void)pthread_attr_destroy(&attributes);
    (void)pthread_join(thread, NULL);
}

/* The frame's address and not that of a local, which AddressSanitizer may move to the heap. */
__attribute__((noinline)) uintptr_t stack_position(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}
