/* trace_coroutines.c - watching coroutines and executors by standing before their functions. */
#include "trace.h"

#include <string.h>
#include <sys/mman.h>

enum {
    PLACES = 1 << 20, /* for frames at different addresses; those that do not fit are not watched */
    BUCKETS = 1 << 16,
    EXECUTORS = 64
};

/* A coroutine, or the one that had a frame at this address before. */
struct watched {
    co_handle frame;
    unsigned id;
    unsigned next; /* place in the same bucket; 0: none */
    void (*resume)(co_handle);
    void (*release)(co_handle);
    unsigned long moves; /* how often it was made ready or run */
    bool ready;
    bool gone;
};

struct heard {
    executor *executor;
    void (*schedule)(executor *, co_handle);
};

/* In memory of its own: it hides no leak, and takes no block that a test counts. */
static struct watched *places; /* place 0 is not used */
static unsigned places_used;
static unsigned buckets[BUCKETS];
static unsigned last_id;
static unsigned running; /* whose body is on top of the stack; 0: none */
static struct heard executors[EXECUTORS];

/* ---- The table ------------------------------------------------------------------------------- */

static unsigned *bucket_of(const void *frame)
{
    uintptr_t address = (uintptr_t)frame;

    return &buckets[((address >> 4) ^ (address >> 20)) % BUCKETS];
}

static struct watched *find(const void *frame)
{
    unsigned place = *bucket_of(frame);

    while (place != 0 && places[place].frame != frame) {
        place = places[place].next;
    }
    return place == 0 ? NULL : &places[place];
}

static struct watched *find_alive(const void *frame)
{
    struct watched *w = find(frame);

    return w == NULL || w->gone ? NULL : w;
}

static bool make_places(void)
{
    void *memory = mmap(NULL, PLACES * sizeof *places, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    places = memory == MAP_FAILED ? NULL : memory;
    return places != NULL;
}

static struct watched *place_for(co_handle frame)
{
    struct watched *w = find(frame);

    if (w != NULL || (places == NULL && !make_places()) || places_used == PLACES - 1) {
        return w;
    }
    w = &places[++places_used];
    w->frame = frame;
    w->next = *bucket_of(frame);
    *bucket_of(frame) = places_used;
    return w;
}

/* ---- Executors ------------------------------------------------------------------------------- */

static void tell_ready(struct watched *w, unsigned by)
{
    w->ready = true;
    w->moves++;
    trace_line("ready", "%u\t%u", w->id, by);
}

static void watched_schedule(executor *self, co_handle handle)
{
    struct watched *w = find_alive(handle);

    if (w != NULL) {
        tell_ready(w, running);
    }
    for (unsigned i = 0; i < EXECUTORS; i++) {
        if (executors[i].executor == self) {
            executors[i].schedule(self, handle);
            return;
        }
    }
}

/* What it does when it has been made anew at the same address, its functions tell. */
static void listen_to(executor *e)
{
    unsigned i = 0;

    if (e == NULL || e->schedule == watched_schedule) {
        return;
    }
    while (i < EXECUTORS && executors[i].executor != NULL && executors[i].executor != e) {
        i++;
    }
    if (i < EXECUTORS) {
        executors[i] = (struct heard){e, e->schedule};
        e->schedule = watched_schedule;
    }
}

/* ---- Coroutines ------------------------------------------------------------------------------ */

static void tell_end(const struct watched *w, const task *t)
{
    char what[128];

    if (t->failed) {
        trace_field(what, sizeof what, t->error.what);
        trace_line("throw", "%u\t%u\t%d\t%d\t%s", w->id, trace_file(t->error.file), t->error.line,
                   t->error.code, what);
    } else {
        trace_line("return", "%u\t%jd", w->id, (intmax_t)t->value);
    }
}

/* An awaiter describes itself while its wait lasts: it may rely on its source. */
static void tell_wait(const struct watched *w, const task *t)
{
    const awaiter *a = &(t->at.awaiting);
    char description[96] = "", type[48] = "", what[96];

    if (a->type != NULL) {
        trace_field(type, sizeof type, a->type->name);
        if (a->type->await_describe != NULL && a->source != NULL) {
            a->type->await_describe(a, description, sizeof description);
        }
    }
    trace_field(what, sizeof what, description[0] != '\0' ? description : type);
    trace_line("wait", "%u\t%u\t%d\t%s\t%s", w->id, trace_file(t->at.file), t->at.line, type, what);
}

/* Its body has returned. */
static void tell_stop(struct watched *w, const task *t)
{
    if (t->frame.resume == NULL) {
        tell_end(w, t);
        return;
    }
    tell_wait(w, t);
    listen_to(t->at.executor);
    if (t->queued && !w->ready) { /* by its scheduler itself, which need not ask its executor */
        tell_ready(w, w->id);
    }
}

static void watched_resume(co_handle frame)
{
    struct watched *w = find(frame);
    unsigned before = running;
    unsigned id = w->id;

    listen_to(((task *)frame)->at.executor);
    if (((task *)frame)->at.executor != NULL && !w->ready) { /* the same, noticed only now */
        tell_ready(w, running);
    }
    w->ready = false;
    w->moves++;
    running = id;
    trace_line("run", "%u", id);
    w->resume(frame);
    running = before;
    if (w->id == id && !w->gone) {
        tell_stop(w, (const task *)frame);
    }
}

static void watched_release(co_handle frame)
{
    struct watched *w = find(frame);

    if (!w->gone) {
        w->gone = true;
        trace_line("gone", "%u", w->id);
    }
    w->release(frame);
}

static void watch(task *t, const char *name)
{
    char copy[96];
    struct watched *w = place_for(&t->frame);

    if (w == NULL) {
        return;
    }
    w->id = ++last_id;
    w->ready = w->gone = false;
    w->resume = t->frame.resume;
    t->frame.resume = watched_resume;
    w->release = t->release;
    if (t->release != NULL) {
        t->release = watched_release;
    }
    trace_field(copy, sizeof copy, name);
    trace_line("create", "%u\t%u\t%s", w->id, running, copy);
}

task *tracing_task(task *t, const char *name)
{
    if (tracing() && t != NULL && t->frame.resume != NULL) {
        watch(t, name);
    }
    return t;
}

/* ---- For trace_wraps.c ----------------------------------------------------------------------- */

unsigned long trace_moves(co_handle handle)
{
    const struct watched *w = handle != NULL ? find_alive(handle) : NULL;

    return w != NULL ? w->moves : 0;
}

void trace_entered(co_handle handle, unsigned long before)
{
    struct watched *w = handle != NULL ? find_alive(handle) : NULL;

    if (w == NULL) {
        return;
    }
    listen_to(((task *)handle)->at.executor);
    if (w->moves == before) {
        tell_ready(w, running);
    }
}
