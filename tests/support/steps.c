/* steps.c - what a test says of itself, in memory that outlives a crash of its process. */
#include "harness.h"
#include "trace.h"

#include <check.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct case_log *case_log;

/* Tests may use threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool telling;

struct case_log *case_log_create(void)
{
    void *memory =
        mmap(NULL, sizeof *case_log, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    case_log = memory == MAP_FAILED ? NULL : memory;
    return case_log;
}

const char *case_log_step(const struct case_log *log, unsigned i)
{
    bool kept = i < log->steps && i + STEP_LIMIT >= log->steps;

    return kept ? log->step[i % STEP_LIMIT] : NULL;
}

void steps_tell(bool on)
{
    telling = on;
}

void step(const char *format, ...)
{
    va_list arguments;
    char *text;

    (void)pthread_mutex_lock(&lock);
    text = case_log->step[case_log->steps % STEP_LIMIT];
    va_start(arguments, format);
    (void)vsnprintf(text, STEP_SIZE, format, arguments);
    va_end(arguments);
    case_log->steps++;
    tracing_step(text);
    if (telling) {
        (void)fprintf(stderr, "%3u. %s\n", case_log->steps, text);
    }
    (void)pthread_mutex_unlock(&lock);
}

/* Not static, and not inlined: a debugger stops here, with the failed expectation one frame up. */
__attribute__((noinline)) void test_failed(void)
{
    if (telling) {
        (void)fprintf(stderr, "failed: %s\n", case_log->message);
        _exit(LAB_FAILED);
    }
    allocations_end(); /* Check allocates, and must not run out of memory */
    ck_abort_msg("%s", case_log->message);
}

/* A message about the end of a run, or about waiting, is best understood by who waits for what. */
static void tell_who_waits(void)
{
    static const char *const words[] = {"_run(", "for ever", "spins"};
    char *message = case_log->message;
    size_t used = strlen(message);
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(message, words[i]) != NULL) {
            coroutines_tell(case_log->coroutines, sizeof case_log->coroutines);
            (void)snprintf(message + used, MESSAGE_SIZE - used, "%s%s",
                           case_log->coroutines[0] != '\0' ? "\n" : "", case_log->coroutines);
            return;
        }
    }
}

void fail_test(const char *format, ...)
{
    va_list arguments;

    (void)pthread_mutex_lock(&lock);
    if (!case_log->failed) {
        va_start(arguments, format);
        (void)vsnprintf(case_log->message, MESSAGE_SIZE, format, arguments);
        va_end(arguments);
        case_log->failed = true;
        case_log->reached = true;
        note_stack();
        tell_who_waits();
    }
    (void)pthread_mutex_unlock(&lock);
    test_failed();
}

/* ---- The trace ------------------------------------------------------------------------------------ */

void trace(const char *format, ...)
{
    va_list arguments;
    size_t room;
    int length;

    (void)pthread_mutex_lock(&lock);
    if (case_log->trace_length > 0 && case_log->trace_length + 1 < TRACE_SIZE) {
        case_log->trace[case_log->trace_length++] = ' ';
    }
    room = TRACE_SIZE - case_log->trace_length;
    va_start(arguments, format);
    length = vsnprintf(case_log->trace + case_log->trace_length, room, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < room) {
        case_log->trace_length += (size_t)length;
    }
    (void)pthread_mutex_unlock(&lock);
    if (length < 0 || (size_t)length >= room) {
        fail_test("the trace has no end: more than %d characters", TRACE_SIZE);
    }
}

const char *trace_text(void)
{
    return case_log->trace;
}

void trace_clear(void)
{
    (void)pthread_mutex_lock(&lock);
    case_log->trace_length = 0;
    case_log->trace[0] = '\0';
    (void)pthread_mutex_unlock(&lock);
}
