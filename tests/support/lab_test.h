/* lab_test.h - what a test of the kit is written with.
 *
 * A milestone's tests are one program. Its cases are listed once, in cases.def, which C, CMake and the
 * grader read:
 *
 *     CASE(resume_after_done, 1, "resuming a finished task is refused",
 *          "Step 3: resume", "task_resume does not look whether the task has ended")
 *
 * that is: name, points (a multiple of 0.25), the title as a sentence, the section of the milestone's
 * handout to read, and the likely cause of a failure, which must not give the solution away. (CMake takes ; [ ] for
 * signs of its own: none of them in there.) A case is
 *
 *     LAB_TEST(resume_after_done)
 *     {
 *         step("create a task that returns 42, and resume it once");
 *         ...
 *         step("resume it again");
 *         expect_int("task_resume(t)", task_resume(t), -EINVAL);
 *     }
 *
 * Each case runs in a process of its own (library Check, fork mode), with a time limit, under ASan,
 * UBSan and LSan. The steps live in memory that the parent shares, so they survive a crash. The first
 * expectation that fails ends the test.
 */
#ifndef LAB_TEST_H
#define LAB_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_case {
    const char *name;
    double points;
    const char *title;
    const char *section; /* of the handout */
    const char *cause;   /* one line */
    void (*run)(void);
};

#define LAB_TEST(name) void lab_test_##name(void)

/* How a test program ends. The numbers from LAB_CRASHED on are verdicts on a single case. */
enum lab_exit {
    LAB_PASSED = 0,
    LAB_FAILED = 1,
    LAB_WRONG_USE = 2, /* of the command line */
    LAB_ERROR = 3,     /* the harness or the machine failed: never a student's zero */
    LAB_CRASHED = 10,  /* a signal, or a sanitizer's report */
    LAB_TIMEOUT = 11,
    LAB_LEAKED = 12,
    LAB_EARLY_EXIT = 13,     /* the process ended without reaching the end of the test */
    LAB_NOT_IMPLEMENTED = 14 /* a stub: see not_implemented.h */
};

/* main() of a milestone's tests; `milestone` is the name of its folder, "m1-task":
 *     test-mK                   runs all cases; exit LAB_PASSED or LAB_FAILED
 *     test-mK NAME              runs one; the exit code is its verdict, by enum lab_exit
 *     test-mK --while-fine NAME...  runs these in turn, up to the first that neither passes nor is a stub's
 *     test-mK NAME --no-fork    runs it in this process, for gdb; fail_test stops in test_failed
 *     test-mK --list            name, points, title, section, one case a line, separated by tabs */
int lab_test_main(const char *milestone, const struct lab_case *cases, size_t count, int argc,
                  char **argv);

/* ---- Steps -------------------------------------------------------------------------------------- */

/* Says what the test does next; printed, numbered, when it fails. */
void step(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the test as failed, with a message. */
_Noreturn void fail_test(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Expectations: `what` is the expression in the lab's words ------------------------------------- */

void expect_true(const char *what, bool condition);
void expect_int(const char *what, intptr_t actual, intptr_t expected); /* errno names are shown */
void expect_between(const char *what, int64_t actual, int64_t low, int64_t high);
void expect_string(const char *what, const char *actual, const char *expected);
void expect_bytes(const char *what, const void *actual, size_t actual_length, const void *expected,
                  size_t expected_length);
/* Times in nanoseconds, shown in milliseconds. `high`: INT64_MAX for any that is long enough. */
void expect_time(const char *what, int64_t actual, int64_t low, int64_t high);

/* ---- The order of events --------------------------------------------------------------------------- */

/* Appends a word to the trace of this test. */
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The words so far, separated by one space each. */
const char *trace_text(void);
void trace_clear(void);
/* Compares the whole trace. */
void expect_trace(const char *expected);

/* ---- Memory ------------------------------------------------------------------------------------------ */

/* Live blocks from malloc and friends since the test began, as the linker wraps count them. */
size_t live_blocks(void);
/* How much memory they are together. */
size_t live_bytes(void);
/* The n-th allocation from now on (1: the next) fails with ENOMEM, once; 0: none. */
void fail_allocation(unsigned long n);
/* How many allocations were asked for since the last fail_allocation. */
unsigned long allocation_count(void);

/* ---- System calls: linker wraps, without touching the code under test ------------------------------- */

/* Which wrapped call. read counts recv, write counts send. */
enum lab_call {
    CALL_READ,
    CALL_WRITE,
    CALL_ACCEPT,
    CALL_EPOLL_WAIT,
    CALL_EPOLL_CTL,
    CALL_CLOSE,
    CALL_NEW_FD, /* socket, epoll_create1, eventfd, timerfd_create */
    CALL_KINDS
};

/* How often it was called since the test began. */
unsigned long call_count(enum lab_call call);
/* The calls number `first`, first + step, ... (`times` of them) from now on fail with `error`
 * (an errno). A second plan for the same call replaces the first. */
void inject_error(enum lab_call call, unsigned long first, unsigned long step, unsigned long times,
                  int error);
/* From now on CALL_READ and CALL_WRITE move at most `limit` bytes at a time; 0: no limit. */
void limit_transfer(enum lab_call call, size_t limit);
/* False: calls made by this thread from now on, the test's own (a client's, say), are neither counted
 * nor disturbed. True, at the start: they are. */
void watch_calls(bool on);
/* The time-out argument of the n-th epoll_wait (0: the first) of this test, in ms; -1: for ever. */
int epoll_timeout(unsigned long n);

/* Virtual time for epoll_wait: a wait polls once, then moves `v` forward by its time-out instead of
 * sleeping. A wait without time-out that finds nothing ends the test: "would block for ever". A
 * thousand waits in a row with time-out 0 that find nothing: "spins". NULL: real time again. */
struct virtual_clock;
void use_virtual_time(struct virtual_clock *v);

/* ---- Stack ------------------------------------------------------------------------------------------- */

/* Runs `function` on a thread with a small stack, where deep recursion soon crashes: 256 KiB, more
 * under sanitizers. */
void run_on_small_stack(void (*function)(void *), void *argument);
/* Where the stack stands now: two calls from one place give the same, unless something recursed. */
uintptr_t stack_position(void);

/* ---- Descriptors -------------------------------------------------------------------------------------- */

/* How many descriptors this process has open. */
int open_descriptors(void);

#endif
