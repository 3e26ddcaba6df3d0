/* chance.h - random numbers for schedules that can be repeated. */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdint.h>

struct chance {
    uint64_t state;
};

/* Runs `schedule` with the seeds 1, 2, ... 25, or with 25 from LAB_SEED on, if that is in the
 * environment. The command that a failure says to run again begins with the seed that failed. */
void for_each_seed(void (*schedule)(struct chance chance));

/* From 0 on, less than `limit`; the same numbers everywhere. */
int chance_below(struct chance *chance, int limit);

#endif
