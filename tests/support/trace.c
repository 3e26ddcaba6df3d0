/* trace.c - the file of a trace. It is mapped memory: what was written before a crash is there after
 * it, and nothing is allocated or written by calls that a test counts or disturbs.
 */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    FILE_SIZE = 14 * 1024 * 1024, /* a case may write 16 MiB, see case.c */
    LINE_SIZE = 512,
    FILES = 64 /* source files; further ones have the number of the last */
};

enum trace_state trace_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *memory;
static size_t used;
static int64_t start;
static const virtual_clock *virtual_time;
static const char *files[FILES];

/* ---- The file -------------------------------------------------------------------------------- */

static int64_t now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return SECONDS(t.tv_sec) + t.tv_nsec;
}

/* It ends at its first byte 0. */
static bool open_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    void *mapped = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, FILE_SIZE) == 0) {
        mapped = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (mapped == MAP_FAILED) {
        (void)fprintf(stderr, "LAB_TRACE: cannot write %s: %s\n", path, strerror(errno));
    }
    if (fd >= 0) {
        (void)syscall(SYS_close, fd); /* not close(), which tests count */
    }
    memory = mapped == MAP_FAILED ? NULL : mapped;
    return memory != NULL;
}

bool trace_begin(void)
{
    const char *path = getenv("LAB_TRACE");

    trace_state = path != NULL && path[0] != '\0' && open_file(path) ? TRACE_ON : TRACE_OFF;
    start = now();
    return trace_state == TRACE_ON;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

void trace_use_clock(const virtual_clock *v)
{
    virtual_time = v;
}

/* A test may forget to destroy its timers before their clock goes: what is read then is no matter
 * for AddressSanitizer. */
__attribute__((no_sanitize("address"))) static void virtual_text(char *text, size_t size)
{
    if (virtual_time == NULL) {
        (void)snprintf(text, size, "-");
    } else {
        (void)snprintf(text, size, "%" PRId64, virtual_time->time);
    }
}

static void append(const char *kind, const char *format, va_list arguments)
{
    char *line = memory + used;
    char time[24];
    int length;

    virtual_text(time, sizeof time);
    length = snprintf(line, LINE_SIZE, "%s\t%" PRId64 "\t%s\t", kind, now() - start, time);
    length += vsnprintf(line + length, (size_t)(LINE_SIZE - length), format, arguments);
    if (length > LINE_SIZE - 2) {
        length = LINE_SIZE - 2;
    }
    line[length++] = '\n';
    line[length] = '\0';
    used += (size_t)length;
}

void trace_line(const char *kind, const char *format, ...)
{
    va_list arguments;

    if (!tracing()) {
        return;
    }
    (void)pthread_mutex_lock(&lock);
    va_start(arguments, format);
    if (used + LINE_SIZE + LINE_SIZE < FILE_SIZE) {
        append(kind, format, arguments);
    } else if (trace_state == TRACE_ON) {
        trace_state = TRACE_FULL;
        append("full", "", arguments);
    }
    va_end(arguments);
    (void)pthread_mutex_unlock(&lock);
}

void trace_field(char *copy, size_t size, const char *text)
{
    size_t i;

    for (i = 0; text != NULL && text[i] != '\0' && i + 1 < size; i++) {
        copy[i] = (char)((unsigned char)text[i] < ' ' ? ' ' : text[i]);
    }
    copy[i] = '\0';
}

unsigned trace_file(const char *path)
{
    char name[LINE_SIZE / 2];
    unsigned i;

    for (i = 0; i < FILES - 1 && files[i] != NULL; i++) {
        if (files[i] == path) {
            return i;
        }
    }
    if (files[i] != path) {
        files[i] = path;
        trace_field(name, sizeof name, path);
        trace_line("file", "%u\t%s", i, name);
    }
    return i;
}

void tracing_step(const char *text)
{
    char copy[LINE_SIZE / 2];

    if (tracing()) {
        trace_field(copy, sizeof copy, text);
        trace_line("step", "%s", copy);
    }
}
