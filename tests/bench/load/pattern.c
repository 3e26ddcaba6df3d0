/* pattern.c - one long random text; a message is a piece of it, and begins where its number says. */
#include "pattern.h"

#include <stdint.h>
#include <stdlib.h>

enum { BEGINNINGS = 65521 }; /* a prime: neighbours begin far from each other */

static char *text;

bool pattern_init(size_t longest)
{
    uint64_t state = 1;

    text = malloc(BEGINNINGS + longest);
    for (size_t i = 0; text != NULL && i < BEGINNINGS + longest; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        text[i] = (char)(state >> 56);
    }
    return text != NULL;
}

const char *pattern_of(unsigned connection, unsigned message)
{
    return text + ((uint64_t)connection * 7919 + (uint64_t)message * 104729) % BEGINNINGS;
}

void pattern_free(void)
{
    free(text);
    text = NULL;
}
