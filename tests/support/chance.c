/* chance.c - see chance.h. */
#include "chance.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 25 };

static unsigned first_seed(void)
{
    const char *text = getenv("LAB_SEED");
    unsigned long long number;

    if (text == NULL || text[0] == '\0') {
        return 1;
    }
    number = strtoull(text, NULL, 10);
    if (text[strspn(text, "0123456789")] != '\0' || number > UINT32_MAX) {
        case_log->misused = true;
        fail_test("LAB_SEED is '%s': a seed is a number from 0 to %u", text, UINT32_MAX);
    }
    return (unsigned)number;
}

void for_each_seed(void (*schedule)(struct chance chance))
{
    unsigned first = first_seed();

    case_log->seeded = true;
    for (unsigned seed = first; seed - first < SEEDS; seed++) {
        case_log->seed = seed;
        step("random schedule with LAB_SEED=%u", seed);
        schedule((struct chance){seed * 0x9E3779B97F4A7C15u + 1});
    }
    case_log->seed = first; /* whatever comes now may be due to each of them */
}

/* xorshift64 */
int chance_below(struct chance *chance, int limit)
{
    chance->state ^= chance->state << 13;
    chance->state ^= chance->state >> 7;
    chance->state ^= chance->state << 17;
    return (int)((chance->state >> 33) % (unsigned)limit);
}
