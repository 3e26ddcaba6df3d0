/* pattern.h - what is sent: bytes that tell connections, messages and places in them apart. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the bytes, for messages of up to `longest`. False: out of memory. */
bool pattern_init(size_t longest);

/* The bytes of a message: `longest` of them, which nobody may change. */
const char *pattern_of(unsigned connection, unsigned message);

void pattern_free(void);

#endif
