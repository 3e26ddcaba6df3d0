/* expect.c - the expectations: each one ends the test when it does not hold. */
#include "harness.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { SHOWN = 600 }; /* of a string, or of bytes, in a message */

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
        fail_test("%s\nexpected: true\nactual:   false", what);
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
    if (actual >= low && actual <= high) {
        return;
    }
    if (low == high) {
        fail_test("%s\nexpected: %.12g ms\nactual:   %.12g ms", what, milliseconds(low),
                  milliseconds(actual));
    }
    fail_test("%s\nexpected: %.12g ms to %.12g ms\nactual:   %.12g ms", what, milliseconds(low),
              milliseconds(high), milliseconds(actual));
}

/* Where two texts begin to differ; with a piece of what comes before, to know the place by. */
static size_t difference_begin(const char *a, const char *b)
{
    size_t same = 0;

    while (a[same] != '\0' && a[same] == b[same]) {
        same++;
    }
    return same > SHOWN / 2 ? same - SHOWN / 2 : 0;
}

void expect_string(const char *what, const char *actual, const char *expected)
{
    size_t from;
    const char *cut;

    if (actual == NULL) {
        fail_test("%s\nexpected: \"%.*s\"\nactual:   NULL", what, SHOWN, expected);
    }
    if (strcmp(actual, expected) == 0) {
        return;
    }
    from = difference_begin(actual, expected);
    cut = from > 0 ? "..." : "";
    fail_test("%s\nexpected: \"%s%.*s\"\nactual:   \"%s%.*s\"", what, cut, SHOWN, expected + from,
              cut, SHOWN, actual + from);
}

/* Bytes from `from` on as text: printable ones as they are, the others as \xNN. */
static void bytes_text(char *text, size_t size, const unsigned char *bytes, size_t length,
                       size_t from)
{
    size_t used = 0;
    size_t i;

    for (i = from; i < length && i < from + 24 && used + 5 < size; i++) {
        const char *format = isprint(bytes[i]) && bytes[i] != '\\' ? "%c" : "\\x%02x";

        used += (size_t)snprintf(text + used, size - used, format, bytes[i]);
    }
    text[used] = '\0';
}

void expect_bytes(const char *what, const void *actual, size_t actual_length, const void *expected,
                  size_t expected_length)
{
    const unsigned char *a = actual;
    const unsigned char *e = expected;
    size_t same = 0;
    char actual_text[128];
    char expected_text[128];

    while (same < actual_length && same < expected_length && a[same] == e[same]) {
        same++;
    }
    if (same == actual_length && same == expected_length) {
        return;
    }
    bytes_text(actual_text, sizeof actual_text, a, actual_length, same);
    bytes_text(expected_text, sizeof expected_text, e, expected_length, same);
    fail_test("%s: differs from byte %zu on\nexpected: %zu bytes, there \"%s\"\n"
              "actual:   %zu bytes, there \"%s\"",
              what, same, expected_length, expected_text, actual_length, actual_text);
}
