/* main.c - runs those cases of a milestone that are named on the command line, a line of verdict each.
 *
 * The harness runs all, or one. For hundreds of mutants that is too much, as some cases take a second,
 * or too little, for starting a program costs as much as running ten cases.
 */
#include "lab_test.h"

#include <stdbool.h>
#include <string.h>

#define CASE(name, points, title, section, cause) LAB_TEST(name);
#include MUTANT_CASES
#undef CASE

static const struct lab_case cases[] = {
#define CASE(name, points, title, section, cause)                                                  \
    {#name, points, title, section, cause, lab_test_##name},
#include MUTANT_CASES
#undef CASE
};

enum { CASES = sizeof cases / sizeof *cases };

static bool is_named(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    struct lab_case chosen[CASES];
    size_t count = 0;

    for (size_t i = 0; i < CASES; i++) {
        if (is_named(cases[i].name, argc, argv)) {
            chosen[count++] = cases[i];
        }
    }
    return lab_test_main(MUTANT_MILESTONE, chosen, count, 1, argv);
}
