/* coroutines.c - which coroutines there are: from a linker wrap of task_init. */
#include "block_set.h"
#include "harness.h"

#include "task.h"
#include "trace.h"

#include <pthread.h>
#include <string.h>

enum {
    MOST = 400000, /* those that do not fit are not told of */
    TOLD = 6,
    LINE_SIZE = 480
};

task *__wrap_task_init(task *t, const char *name, void (*body)(co_handle),
                       void (*release)(co_handle));
/* Weak: the harness's own test has no tasks. */
__attribute__((weak)) task *__real_task_init(task *t, const char *name, void (*body)(co_handle),
                                             void (*release)(co_handle));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool watching;
static struct block_set frames; /* each with its number */
static uint64_t created;

void coroutines_begin(void)
{
    if (!block_set_open(&frames, MOST)) {
        fail_test("the test itself: no memory for the list of coroutines");
    }
    watching = true;
}

task *__wrap_task_init(task *t, const char *name, void (*body)(co_handle),
                       void (*release)(co_handle))
{
    if (watching) {
        (void)pthread_mutex_lock(&lock);
        (void)block_set_remove(&frames, t); /* in memory that is used again */
        (void)block_set_add(&frames, t, ++created);
        (void)pthread_mutex_unlock(&lock);
    }
    return tracing_task(__real_task_init(t, name, body, release), name);
}

void coroutine_forget(const void *block)
{
    if (watching) {
        (void)pthread_mutex_lock(&lock);
        (void)block_set_remove(&frames, block);
        (void)pthread_mutex_unlock(&lock);
    }
}

/* ---- Telling of them -------------------------------------------------------------------------------- */

struct choice {
    const void *frame;
    uint64_t number;
};

/* Keeps the list sorted, and its end is lost. */
static void insert(struct choice *chosen, size_t used, struct choice new)
{
    size_t i = used;

    if (used == TOLD) {
        if (chosen[TOLD - 1].number < new.number) {
            return;
        }
        i = TOLD - 1;
    }
    for (; i > 0 && chosen[i - 1].number > new.number; i--) {
        chosen[i] = chosen[i - 1];
    }
    chosen[i] = new;
}

/* Those that run come first, then the oldest. Returns how many there are to choose from. */
static size_t choose(struct choice chosen[static TOLD], bool ended_too)
{
    size_t found = 0;
    size_t place;

    for (place = 0; place < frames.capacity; place++) {
        struct choice new;
        enum coroutine_kind kind;

        new.frame = block_set_at(&frames, place, &new.number);
        kind = new.frame == NULL ? COROUTINE_GONE : coroutine_kind(new.frame);
        if (kind == COROUTINE_GONE || (kind == COROUTINE_ENDED && !ended_too)) {
            continue;
        }
        new.number += kind == COROUTINE_RUNS ? 0 : UINT64_MAX / 2;
        insert(chosen, found < TOLD ? found : TOLD, new);
        found++;
    }
    return found;
}

void coroutines_tell(char *text, size_t size)
{
    struct choice chosen[TOLD];
    char line[LINE_SIZE];
    size_t count = choose(chosen, false);
    size_t used;
    size_t i;

    text[0] = '\0';
    if (count == 0) {
        return;
    }
    used = (size_t)snprintf(text, size, "%zu coroutine%s not ended:", count,
                            count == 1 ? " has" : "s have");
    for (i = 0; i < count && i < TOLD && used + LINE_SIZE + LINE_SIZE < size; i++) {
        describe_coroutine(line, sizeof line, chosen[i].frame);
        used += (size_t)snprintf(text + used, size - used, "\n  %s", line);
    }
    if (i < count) {
        (void)snprintf(text + used, size - used, "\n  and %zu more", count - i);
    }
}

void coroutines_left(char *text, size_t size)
{
    struct choice chosen[TOLD];
    char line[LINE_SIZE];
    size_t count = choose(chosen, true);
    size_t used = 0;
    size_t i;

    text[0] = '\0';
    for (i = 0; i < count && i < TOLD && used + LINE_SIZE < size; i++) {
        describe_remains(line, sizeof line, chosen[i].frame);
        used += (size_t)snprintf(text + used, size - used, "%p %s\n", chosen[i].frame, line);
    }
}
