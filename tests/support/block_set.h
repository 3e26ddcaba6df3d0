/* block_set.h - a set of memory blocks by their addresses, with a number for each. */
#ifndef BLOCK_SET_H
#define BLOCK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block_entry {
    uintptr_t hidden; /* the address, inverted; 0: a free place */
    uint64_t note;
};

/* All zero: a set that holds nothing, and cannot. */
struct block_set {
    struct block_entry *places;
    size_t capacity; /* a power of two */
    size_t count;
    size_t most;
};

/* Empties the set, which may then hold so many; false if there is no memory. */
bool block_set_open(struct block_set *set, size_t most);
/* False: it is full, or there is no memory. */
bool block_set_add(struct block_set *set, const void *block, uint64_t note);
/* False if it is not there. */
bool block_set_remove(struct block_set *set, const void *block);
/* The entry at this place, from 0 to capacity - 1: its block, and its note; NULL: none. */
const void *block_set_at(const struct block_set *set, size_t place, uint64_t *note);

#endif
