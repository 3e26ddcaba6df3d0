/* block_set.c - an open hash table in memory of its own, so that it neither allocates nor hides leaks.
 * The addresses are kept inverted: LeakSanitizer does not look here, but valgrind looks everywhere, and
 * would take each for a reference to its block.
 *
 * The table does not grow; the system provides those places that are touched.
 */
#include "block_set.h"

#include <sys/mman.h>

bool block_set_open(struct block_set *set, size_t capacity)
{
    void *memory = mmap(NULL, capacity * sizeof *set->places, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        return false;
    }
    if (set->places != NULL) {
        (void)munmap(set->places, set->capacity * sizeof *set->places);
    }
    *set = (struct block_set){memory, capacity, 0};
    return true;
}

/* The low four bits of a block's address are 0; neighbours go to neighbouring places. */
static size_t place_of(const struct block_set *set, uintptr_t block)
{
    return (size_t)((block >> 4) ^ (block >> 26)) & (set->capacity - 1);
}

static size_t place_after(const struct block_set *set, size_t place)
{
    return (place + 1) & (set->capacity - 1);
}

bool block_set_add(struct block_set *set, const void *block, uint64_t note)
{
    size_t place;

    if (set->count >= set->capacity / 4 * 3) {
        return false;
    }
    place = place_of(set, (uintptr_t)block);
    while (set->places[place].hidden != 0) {
        place = place_after(set, place);
    }
    set->places[place] = (struct block_entry){~(uintptr_t)block, note};
    set->count++;
    return true;
}

/* Moves back those behind a gap that would no longer be found across it. */
static void close_gap(struct block_set *set, size_t gap)
{
    size_t mask = set->capacity - 1;
    size_t place;

    for (place = place_after(set, gap); set->places[place].hidden != 0;
         place = place_after(set, place)) {
        size_t home = place_of(set, ~set->places[place].hidden);

        if (((place - home) & mask) >= ((place - gap) & mask)) {
            set->places[gap] = set->places[place];
            gap = place;
        }
    }
    set->places[gap].hidden = 0;
}

bool block_set_remove(struct block_set *set, const void *block)
{
    size_t place;

    if (set->count == 0) {
        return false;
    }
    place = place_of(set, (uintptr_t)block);
    while (set->places[place].hidden != 0) {
        if (set->places[place].hidden == ~(uintptr_t)block) {
            set->count--;
            close_gap(set, place);
            return true;
        }
        place = place_after(set, place);
    }
    return false;
}

const void *block_set_at(const struct block_set *set, size_t place, uint64_t *note)
{
    const struct block_entry *entry = &set->places[place];

    *note = entry->note;
    return entry->hidden == 0 ? NULL : (const void *)~entry->hidden;
}
