/* main.c - the table of these cases. */
#include "lab_test.h"

#define CASE(name, points, title, section, cause) LAB_TEST(name);
#include "with-x1/cases.def"
#undef CASE

static const struct lab_case cases[] = {
#define CASE(name, points, title, section, cause)                                                  \
    {#name, points, title, section, cause, lab_test_##name},
#include "with-x1/cases.def"
#undef CASE
};

int main(int argc, char **argv)
{
    return lab_test_main("x2-thread-pool", cases, sizeof cases / sizeof cases[0], argc, argv);
}
