/* expect.c - expectations about truth, numbers and times; differences.c has those about texts. Each one
 * ends the test when it does not hold. */
#include "harness.h"

#include <inttypes.h>
#include <string.h>

void number_text(char *text, size_t size, intptr_t number)
{
    const char *name = number < 0 && number > -4096 ? strerrorname_np((int)-number) : NULL;

    if (name != NULL) {
        (void)snprintf(text, size, "%" PRIdPTR " (-%s)", number, name);
    } else {
        (void)snprintf(text, size, "%" PRIdPTR, number);
    }
}

void expect_true(const char *what, bool condition)
{
    if (!condition) {
        fail_test("expected: %s\nactual:   that is not so", what);
    }
}

void expect_int(const char *what, intptr_t actual, intptr_t expected)
{
    char actual_text[64];
    char expected_text[64];

    if (actual == expected) {
        return;
    }
    number_text(actual_text, sizeof actual_text, actual);
    number_text(expected_text, sizeof expected_text, expected);
    fail_test("%s\nexpected: %s\nactual:   %s", what, expected_text, actual_text);
}

void expect_between(const char *what, int64_t actual, int64_t low, int64_t high)
{
    if (actual < low || actual > high) {
        fail_test("%s\nexpected: %" PRId64 " to %" PRId64 "\nactual:   %" PRId64, what, low, high,
                  actual);
    }
}

static double milliseconds(int64_t nanoseconds)
{
    return (double)nanoseconds / 1e6;
}

void expect_time(const char *what, int64_t actual, int64_t low, int64_t high)
{
    int64_t off = actual < low ? low - actual : actual - high;
    const char *direction = actual < low ? "little" : "much";
    char expected[80];

    if (actual >= low && actual <= high) {
        return;
    }
    if (low == high) {
        (void)snprintf(expected, sizeof expected, "%.12g ms", milliseconds(low));
    } else if (high == INT64_MAX) {
        (void)snprintf(expected, sizeof expected, "at least %.12g ms", milliseconds(low));
    } else {
        (void)snprintf(expected, sizeof expected, "%.12g ms to %.12g ms", milliseconds(low),
                       milliseconds(high));
    }
    fail_test("%s\nexpected: %s\nactual:   %.12g ms (%.12g ms too %s)", what, expected,
              milliseconds(actual), milliseconds(off), direction);
}
