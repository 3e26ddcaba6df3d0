/* block_set.c - an open hash table in memory of its own, so that it neither allocates nor hides leaks.
 * The addresses are kept inverted: LeakSanitizer does not look here, but valgrind looks everywhere, and
 * would take each for a reference to its block.
 *
 * The table does not grow: 4 Mi places, of which the system provides those that are touched. Full, it
 * would stop the test; a test holds at most some 100,000 blocks.
 */
#include "block_set.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PLACES = 1 << 22 };

static uintptr_t *places;
static size_t count;

bool block_set_clear(void)
{
    void *memory = mmap(NULL, PLACES * sizeof *places, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        return false;
    }
    if (places != NULL) {
        (void)munmap(places, PLACES * sizeof *places);
    }
    places = memory;
    count = 0;
    return true;
}

/* The low four bits of a block's address are 0; neighbours go to neighbouring places. */
static size_t place_of(uintptr_t block)
{
    return (size_t)(((block >> 4) ^ (block >> 26)) % PLACES);
}

static uintptr_t hidden(const void *block)
{
    return ~(uintptr_t)block;
}

static size_t place_after(size_t place)
{
    return (place + 1) % PLACES;
}

void block_set_add(const void *block)
{
    size_t place = place_of((uintptr_t)block);

    if (count > PLACES / 4 * 3) {
        (void)fputs("the test's ledger of blocks is full\n", stderr);
        abort();
    }
    while (places[place] != 0) {
        place = place_after(place);
    }
    places[place] = hidden(block);
    count++;
}

/* Moves back those behind a gap that would no longer be found across it. */
static void close_gap(size_t gap)
{
    size_t place;

    for (place = place_after(gap); places[place] != 0; place = place_after(place)) {
        size_t home = place_of(~places[place]);

        if ((place - home) % PLACES >= (place - gap) % PLACES) {
            places[gap] = places[place];
            gap = place;
        }
    }
    places[gap] = 0;
}

bool block_set_remove(const void *block)
{
    size_t place = place_of((uintptr_t)block);

    while (places[place] != 0) {
        if (places[place] == hidden(block)) {
            count--;
            close_gap(place);
            return true;
        }
        place = place_after(place);
    }
    return false;
}

size_t block_set_count(void)
{
    return count;
}
