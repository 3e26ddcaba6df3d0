/* work.h - something for a task to do: some steps of arithmetic, of which each needs the one before. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

/* Returns 1, which the compiler cannot know. */
static inline long work(long steps)
{
    uint64_t state = 1;

    for (long i = 0; i < steps; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
    }
    return state == 0 ? 2 : 1; /* within so few steps it does not come to 0 */
}

#endif
