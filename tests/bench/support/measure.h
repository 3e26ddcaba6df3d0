/* measure.h - what every bench program needs: its arguments, a clock, and the one line it prints.
 *
 * In C and in C++. Time is this process' processor time: whatever else the machine does meanwhile
 * is not in it, nor is waiting. Only where several processors share the work, it is real time.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline int64_t processor_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t real_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The position-th argument, a positive number; ends the program if there is none. */
static inline long argument(int argc, char **argv, int position)
{
    long number = position < argc ? strtol(argv[position], NULL, 10) : 0;

    if (number <= 0) {
        (void)fprintf(stderr, "%s: argument %d must be a positive number\n", argv[0], position);
        exit(2);
    }
    return number;
}

/* Prints what one of `count` costs: nanoseconds, or whatever `total` is in. */
static inline void report_each(int64_t total, long count)
{
    (void)printf("%.3f\n", (double)total / (double)count);
}

/* The same numbers in every program: 0 up to, and without, `limit`. */
static inline int64_t random_below(int64_t limit)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)limit);
}

/* Never NULL: a bench that is out of memory ends. */
static inline void *allocate(size_t size)
{
    void *p = malloc(size);

    if (p == NULL) {
        (void)fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return p;
}

/* 0 to count - 1, shuffled; the same order in every program. */
static inline long *random_order(long count)
{
    long *order = (long *)allocate((size_t)count * sizeof *order);

    for (long i = 0; i < count; i++) {
        long other = (long)random_below(i + 1);

        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

#endif
