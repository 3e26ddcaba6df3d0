/* allocations.c - linker wraps of malloc and friends: a ledger, and memory that runs out on demand.
 *
 * Only calls from objects of the test program come here: those that libc makes for itself do not. So a
 * block from open_memstream is unknown to the ledger, and its free is let through.
 */
#include "block_set.h"
#include "harness.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
void __wrap_free(void *block);

enum { MOST = 1500000 }; /* a test holds at most some 100,000 blocks */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool counting;
static struct block_set blocks;
static size_t bytes;          /* of the blocks in the set */
static unsigned long asked;   /* since the last fail_allocation */
static unsigned long failing; /* the number of the one that fails; 0: none */

void allocations_begin(void)
{
    if (!block_set_open(&blocks, MOST)) {
        fail_test("the test itself: no memory for the ledger");
    }
    counting = true;
}

void allocations_end(void)
{
    counting = false;
}

size_t live_blocks(void)
{
    size_t count;

    (void)pthread_mutex_lock(&lock);
    count = blocks.count;
    (void)pthread_mutex_unlock(&lock);
    return count;
}

size_t live_bytes(void)
{
    size_t count;

    (void)pthread_mutex_lock(&lock);
    count = bytes;
    (void)pthread_mutex_unlock(&lock);
    return count;
}

void fail_allocation(unsigned long n)
{
    (void)pthread_mutex_lock(&lock);
    asked = 0;
    failing = n;
    (void)pthread_mutex_unlock(&lock);
}

unsigned long allocation_count(void)
{
    unsigned long count;

    (void)pthread_mutex_lock(&lock);
    count = asked;
    (void)pthread_mutex_unlock(&lock);
    return count;
}

/* True: this allocation is the one that fails. */
static bool allocation_fails(void)
{
    bool fails;

    if (!counting) {
        return false;
    }
    (void)pthread_mutex_lock(&lock);
    asked++;
    fails = failing != 0 && asked == failing;
    (void)pthread_mutex_unlock(&lock);
    if (fails) {
        errno = ENOMEM;
    }
    return fails;
}

static void *keep(void *block)
{
    if (counting && block != NULL) {
        (void)pthread_mutex_lock(&lock);
        if (!block_set_add(&blocks, block, 0)) {
            (void)fputs("the test's ledger of blocks is full\n", stderr);
            abort();
        }
        bytes += malloc_usable_size(block);
        (void)pthread_mutex_unlock(&lock);
    }
    return block;
}

static void forget(void *block)
{
    if (counting && block != NULL) {
        (void)pthread_mutex_lock(&lock);
        if (block_set_remove(&blocks, block)) {
            bytes -= malloc_usable_size(block);
        }
        (void)pthread_mutex_unlock(&lock);
        coroutine_forget(block);
    }
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : keep(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : keep(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return allocation_fails() ? NULL : keep(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    int error = allocation_fails() ? ENOMEM : __real_posix_memalign(block, alignment, size);

    if (error == 0) {
        (void)keep(*block);
    }
    return error;
}

/* The old block is forgotten before, for another thread may be given its address at once; and
 * remembered again if it was not moved. */
void *__wrap_realloc(void *block, size_t size)
{
    void *moved;

    if (allocation_fails()) {
        return NULL;
    }
    forget(block);
    moved = __real_realloc(block, size);
    (void)keep(moved == NULL && size != 0 ? block : moved);
    return moved;
}

void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return __wrap_realloc(block, total);
}

char *__wrap_strndup(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    char *copy = __wrap_malloc(length + 1);

    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

void __wrap_free(void *block)
{
    forget(block);
    __real_free(block);
}
