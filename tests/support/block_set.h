/* block_set.h - the set of addresses that malloc and friends gave and that are not freed yet. */
#ifndef BLOCK_SET_H
#define BLOCK_SET_H

#include <stdbool.h>
#include <stddef.h>

/* Forgets everything. False: no memory. */
bool block_set_clear(void);
void block_set_add(const void *block);
/* False: it is not in the set. */
bool block_set_remove(const void *block);
size_t block_set_count(void);

#endif
