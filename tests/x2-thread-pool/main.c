/* main.c - the table of lab x2's cases. */
#include "lab_test.h"

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
    return lab_test_main("x2-thread-pool", cases, sizeof cases / sizeof cases[0], argc, argv);
}
