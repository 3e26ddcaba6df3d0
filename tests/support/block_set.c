/* block_set.c - an open hash table in memory of its own, so that it neither allocates nor hides leaks.
 * The addresses are kept inverted: LeakSanitizer does not look here, but valgrind looks everywhere, and
 * would take each for a reference to its block.
 */
#include "block_set.h"

#include <sys/mman.h>

enum { FIRST_CAPACITY = 512 };

static struct block_entry *make_places(size_t capacity)
{
    void *memory = mmap(NULL, capacity * sizeof(struct block_entry), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

bool block_set_open(struct block_set *set, size_t most)
{
    struct block_entry *places = make_places(FIRST_CAPACITY);

    if (places == NULL) {
        return false;
    }
    if (set->places != NULL) {
        (void)munmap(set->places, set->capacity * sizeof *set->places);
    }
    *set = (struct block_set){places, FIRST_CAPACITY, 0, most};
    return true;
}

/* Multiplicative hashing, Knuth 6.4: blocks lie at regular distances. The table is an index of 32 bits at most. */
static size_t place_of(const struct block_set *set, uintptr_t block)
{
    return (size_t)((block * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (set->capacity - 1);
}

static size_t place_after(const struct block_set *set, size_t place)
{
    return (place + 1) & (set->capacity - 1);
}

static void put(struct block_set *set, struct block_entry entry)
{
    size_t place = place_of(set, ~entry.hidden);

    while (set->places[place].hidden != 0) {
        place = place_after(set, place);
    }
    set->places[place] = entry;
    set->count++;
}

static bool grow(struct block_set *set)
{
    struct block_set larger = {make_places(set->capacity * 2), set->capacity * 2, 0, set->most};
    size_t place;

    if (larger.places == NULL) {
        return false;
    }
    for (place = 0; place < set->capacity; place++) {
        if (set->places[place].hidden != 0) {
            put(&larger, set->places[place]);
        }
    }
    (void)munmap(set->places, set->capacity * sizeof *set->places);
    *set = larger;
    return true;
}

bool block_set_add(struct block_set *set, const void *block, uint64_t note)
{
    if (set->count >= set->most || (set->count >= set->capacity / 2 && !grow(set))) {
        return false;
    }
    put(set, (struct block_entry){~(uintptr_t)block, note});
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
