/* Defines what decides about a test. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum lab_exit { LAB_PASSED };
struct verdict {
    enum lab_exit exit;
};

void verdict_find(struct verdict *v, const void *log, const char *ending);
void verdict_find(struct verdict *v, const void *log, const char *ending)
{
    (void)log;
    (void)ending;
    v->exit = LAB_PASSED;
}

const char *verdict_word(enum lab_exit exit);
const char *verdict_word(enum lab_exit exit)
{
    (void)exit;
    return "passed";
}

const char *likely_cause(const void *c, const void *v);
const char *likely_cause(const void *c, const void *v)
{
    (void)c;
    (void)v;
    return "";
}

/* (the stub) */
