/* differences.c - expectations about texts, orders and bytes: both sides, with the first difference marked. */
#include "harness.h"

#include <ctype.h>
#include <string.h>

enum {
    BEFORE = 30, /* how much is shown before the first difference, and */
    AFTER = 45,  /* after it; bytes may take four columns each */
    COLUMNS = 90,
    TEXT_SIZE = 4 * (BEFORE + AFTER) + 16
};

/* Where the lines begin that show both sides; the mark stands below the second one. */
static const char margin[] = "          ";

/* One side, as it is shown. */
struct side {
    const char *bytes;
    size_t length;
    char text[TEXT_SIZE];
    size_t mark; /* the column of the difference */
};

static size_t same_length(const struct side *a, const struct side *b)
{
    size_t same = 0;

    if (a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0) {
        return a->length;
    }
    while (same < a->length && same < b->length && a->bytes[same] == b->bytes[same]) {
        same++;
    }
    return same;
}

static size_t add_byte(char *text, size_t used, char byte)
{
    unsigned char c = (unsigned char)byte;

    if (c == '\n') {
        return used + (size_t)sprintf(text + used, "\\n");
    }
    return used + (size_t)sprintf(text + used, isprint(c) && c != '\\' ? "%c" : "\\x%02x", c);
}

/* Shows the bytes around place `at`, from `from` on. */
static void show(struct side *side, size_t from, size_t at)
{
    size_t used = 0;
    size_t i;

    if (from > 0) {
        used += (size_t)sprintf(side->text, "...");
    }
    side->mark = used;
    for (i = from; i < side->length && i < at + AFTER && used < COLUMNS; i++) {
        used = add_byte(side->text, used, side->bytes[i]);
        if (i < at) {
            side->mark = used;
        }
    }
    (void)sprintf(side->text + used, i < side->length ? "..." : "");
}

/* What the mark says. */
static void describe(char *text, size_t size, const struct side *actual,
                     const struct side *expected, size_t same, const char *unit)
{
    if (same == actual->length) {
        (void)snprintf(text, size, "here something is missing");
    } else if (same == expected->length) {
        (void)snprintf(text, size, "from here on it is too much");
    } else if (unit != NULL) {
        (void)snprintf(text, size, "the first difference, at %s %zu", unit, same);
    } else {
        (void)snprintf(text, size, "the first difference");
    }
}

/* ---- Texts and bytes -------------------------------------------------------------------------------- */

void expect_string(const char *what, const char *actual, const char *expected)
{
    struct side a = {.bytes = actual, .length = actual == NULL ? 0 : strlen(actual)};
    struct side e = {.bytes = expected, .length = strlen(expected)};
    char difference[64];
    size_t same;
    size_t from;

    if (actual != NULL && strcmp(actual, expected) == 0) {
        return;
    }
    same = same_length(&a, &e);
    from = same > BEFORE ? same - BEFORE : 0;
    show(&a, from, same);
    show(&e, from, same);
    if (actual == NULL) {
        fail_test("%s\nexpected: \"%s\"\nactual:   NULL", what, e.text);
    }
    describe(difference, sizeof difference, &a, &e, same, NULL);
    fail_test("%s\nexpected: \"%s\"\nactual:   \"%s\"\n%s%*s^ %s", what, e.text, a.text, margin,
              (int)a.mark + 1, "", difference);
}

void expect_bytes(const char *what, const void *actual, size_t actual_length, const void *expected,
                  size_t expected_length)
{
    struct side a = {.bytes = actual, .length = actual_length};
    struct side e = {.bytes = expected, .length = expected_length};
    size_t same = same_length(&a, &e);
    size_t from = same > BEFORE / 2 ? same - BEFORE / 2 : 0;
    char difference[64];
    char number[32];
    int width;

    if (same == actual_length && same == expected_length) {
        return;
    }
    show(&a, from, same);
    show(&e, from, same);
    describe(difference, sizeof difference, &a, &e, same, "byte");
    width = snprintf(number, sizeof number, "%zu",
                     actual_length > expected_length ? actual_length : expected_length);
    fail_test("%s\nexpected: %*zu bytes: %s\nactual:   %*zu bytes: %s\n%s%*s^ %s", what, width,
              expected_length, e.text, width, actual_length, a.text, margin,
              width + (int)strlen(" bytes: ") + (int)a.mark, "", difference);
}

/* ---- The order of events ---------------------------------------------------------------------------- */

/* The place where the word begins, or ends, in which `at` is. */
static size_t word_begin(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != ' ') {
        at--;
    }
    return at;
}

/* The number of the word that begins at `at`, from 1. */
static size_t word_number(const char *text, size_t at)
{
    size_t number = 1;
    size_t i;

    for (i = 0; i < at; i++) {
        number += text[i] == ' ';
    }
    return number;
}

/* Where the first word that differs begins. Texts that end there have a difference at their ends. */
static size_t first_different_word(const struct side *a, const struct side *e)
{
    size_t same = same_length(a, e);
    bool both_end = (same == a->length || a->bytes[same] == ' ') &&
                    (same == e->length || e->bytes[same] == ' ');

    return both_end ? same : word_begin(a->bytes, same);
}

void expect_trace(const char *expected)
{
    const char *actual = trace_text();
    struct side a = {.bytes = actual, .length = strlen(actual)};
    struct side e = {.bytes = expected, .length = strlen(expected)};
    char difference[64];
    size_t at;
    size_t from;

    if (strcmp(actual, expected) == 0) {
        return;
    }
    at = first_different_word(&a, &e);
    from = at > BEFORE ? word_begin(actual, at - BEFORE) : 0;
    show(&a, from, at);
    show(&e, from, at);
    if (at < a.length && at < e.length) {
        (void)snprintf(difference, sizeof difference, "the first difference: event %zu of %zu",
                       word_number(expected, at), word_number(expected, e.length));
    } else {
        describe(difference, sizeof difference, &a, &e, at, NULL);
    }
    fail_test("the order of events\nexpected: %s\nactual:   %s\n%s%*s^ %s",
              e.length > 0 ? e.text : "(nothing)", a.length > 0 ? a.text : "(nothing)", margin,
              (int)a.mark, "", difference);
}
