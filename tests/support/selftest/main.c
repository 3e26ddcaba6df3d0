/* main.c - the cases of the harness's own test. */
#include "lab_test.h"

#ifndef SELFTEST_FOLDER
#define SELFTEST_FOLDER "m0-selftest"
#endif

#define CASE(name, points, title, section, cause) LAB_TEST(name);
#include "cases.def"
#undef CASE

static const struct lab_case cases[] = {
#define CASE(name, points, title, section, cause)                                                  \
    {#name, points, title, section, cause, lab_test_##name},
#include "cases.def"
#undef CASE
};

int main(int argc, char **argv)
{
    return lab_test_main(SELFTEST_FOLDER, cases, sizeof cases / sizeof *cases, argc, argv);
}
