/* latency.c - a list of them, sorted when it is asked. */
#include "latency.h"

#include <stdlib.h>

static int64_t *noted;
static size_t count, capacity;

void latency_note(int64_t ns)
{
    if (count == capacity) {
        size_t wanted = capacity != 0 ? 2 * capacity : 65536;
        int64_t *larger = realloc(noted, wanted * sizeof *noted);

        if (larger == NULL) {
            return;
        }
        noted = larger;
        capacity = wanted;
    }
    noted[count++] = ns;
}

void latency_clear(void)
{
    free(noted);
    noted = NULL;
    count = capacity = 0;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t latency_percentile(int percent)
{
    if (count == 0) {
        return 0;
    }
    qsort(noted, count, sizeof *noted, compare);
    return noted[(count - 1) * (size_t)percent / 100];
}
