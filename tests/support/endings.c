/* endings.c - notes where a case's process was when it ended in mid-test, or took too long: by handlers
 * of signals, and by linker wraps of exit. Under a sanitizer most signals are the sanitizer's to report.
 */
#include "harness.h"

#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ALTERNATE_STACK = 64 * 1024 };

ssize_t __real_read(int fd, void *buffer, size_t size);
int __real_close(int fd);
_Noreturn void __real_exit(int code);
_Noreturn void __real__exit(int code);
_Noreturn void __real__Exit(int code);
_Noreturn void __wrap_exit(int code);
_Noreturn void __wrap__exit(int code);
_Noreturn void __wrap__Exit(int code);

static pthread_t worker;
static atomic_bool worker_runs; /* release, acquire: `worker` is set before */
static bool is_over;            /* the process of the case may end */

void note_stack(void)
{
    case_log->depth = backtrace(case_log->stack, STACK_LIMIT);
}

/* ---- Exits ------------------------------------------------------------------------------------------ */

static void note_exit(void)
{
    if (case_log != NULL && case_log->began && !case_log->reached && !case_log->exit_called) {
        case_log->exit_called = true;
        note_stack();
    }
}

void endings_end(void)
{
    is_over = true;
}

/* Who has noted in the log that the test is through, and then ends it as if all were well, was not the
 * harness. */
static int checked(int code)
{
    note_exit();
    return code == 0 && case_log != NULL && case_log->reached && !is_over ? LAB_EARLY_EXIT : code;
}

void __wrap_exit(int code)
{
    __real_exit(checked(code));
}

void __wrap__exit(int code)
{
    __real__exit(checked(code));
}

void __wrap__Exit(int code)
{
    __real__Exit(checked(code));
}

/* ---- Signals ---------------------------------------------------------------------------------------- */

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

static void die_by_signal(int number)
{
    handle(number, SIG_DFL, 0);
    if (!case_log->reached) {
        note_stack();
    }
    (void)raise(number);
}

/* A stack that has overflowed has no room for a handler. */
static void use_alternate_stack(char *memory)
{
    const stack_t stack = {.ss_sp = memory, .ss_size = ALTERNATE_STACK};

    (void)sigaltstack(&stack, NULL);
}

static void watch_signals(void)
{
    static const int others[] = {SIGPIPE, SIGXFSZ};
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    size_t i;

    for (i = 0; i < sizeof others / sizeof *others; i++) {
        handle(others[i], die_by_signal, 0);
    }
    for (i = 0; i < sizeof crashes / sizeof *crashes && !UNDER_ASAN && !UNDER_TSAN; i++) {
        handle(crashes[i], die_by_signal, SA_ONSTACK);
    }
}

/* ---- The time limit --------------------------------------------------------------------------------- */

static double seconds(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double began;
static timer_t timer;
static int extensions;

static void start_timer(void)
{
    double limit = time_limit();
    struct itimerspec when = {
        .it_value = {(time_t)limit, (long)((limit - (double)(time_t)limit) * 1e9)}};

    (void)timer_settime(timer, 0, &when, NULL);
}

/* For how long this thread could have run, but had no processor; 0: the kernel does not tell. */
static double run_delay(void)
{
    char text[64] = "";
    char *second;
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

    if (file >= 0) {
        (void)!__real_read(file, text, sizeof text - 1);
        (void)__real_close(file);
    }
    (void)strtoull(text, &second, 10); /* nanoseconds on a processor; then without; then turns */
    return (double)strtoull(second, NULL, 10) / 1e9;
}

/* Notes whether this thread computes, or waits for something. True: it computes, and would not be over
 * its time if it had a processor for itself. */
static bool is_starved(void)
{
    double computed = seconds(CLOCK_PROCESS_CPUTIME_ID);
    double elapsed = seconds(CLOCK_MONOTONIC) - began;

    case_log->busy = computed + run_delay() > elapsed / 2;
    return case_log->busy && computed < time_limit() / 2;
}

static void time_is_over(int number)
{
    if (case_log->reached) {
        return;
    }
    if (atomic_load_explicit(&worker_runs, memory_order_acquire) &&
        !pthread_equal(pthread_self(), worker)) {
        (void)pthread_kill(worker, number); /* whoever waits for it is not the one who hangs */
        return;
    }
    if (is_starved() && extensions < EXTENSIONS) {
        extensions++;
        start_timer();
        return;
    }
    note_stack();
    case_log->timed_out = true;
    coroutines_tell(case_log->coroutines, sizeof case_log->coroutines);
    (void)syscall(SYS_exit_group, LAB_TIMEOUT);
}

double time_limit(void)
{
    const char *text = getenv("CK_TIMEOUT_MULTIPLIER");
    double patience = text == NULL ? 1 : strtod(text, NULL);

    return TIME_LIMIT * (patience > 0 ? patience : 1);
}

static void set_time_limit(void)
{
    const int number = SIGRTMAX - 1;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};

    began = seconds(CLOCK_MONOTONIC);
    handle(number, time_is_over, SA_RESTART);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        start_timer();
    }
}

void endings_begin(void)
{
    static char memory[ALTERNATE_STACK];
    void *none[1];

    (void)backtrace(none, 1); /* the first call loads a library, and allocates */
    use_alternate_stack(memory);
    watch_signals();
    set_time_limit();
}

void worker_begins(void)
{
    static char memory[ALTERNATE_STACK];

    if (!UNDER_ASAN && !UNDER_TSAN) {
        use_alternate_stack(memory);
    }
    worker = pthread_self();
    atomic_store_explicit(&worker_runs, true, memory_order_release);
}

void worker_ends(void)
{
    atomic_store_explicit(&worker_runs, false, memory_order_release);
}
