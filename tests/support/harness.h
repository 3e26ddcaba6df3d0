/* harness.h - what the files of the harness know of each other. Tests include lab_test.h instead. */
#ifndef HARNESS_H
#define HARNESS_H

#include "lab_test.h"
#include "sanitizers.h"

#include <stdio.h>

enum {
    STEP_LIMIT = 64,
    STEP_SIZE = 160,
    MESSAGE_SIZE = 2048,
    TRACE_SIZE = 64 * 1024,
    OUTPUT_LIMIT = 16 * 1024 * 1024, /* what one case may print */
    OUTPUT_TAIL = 64 * 1024          /* how much of it is kept */
};

/* Written by the process of a case, read by the runner when it has ended: memory that both share. */
struct case_log {
    bool began;     /* the body of the test was entered */
    bool reached;   /* and left at its end, or at an expectation that failed */
    bool failed;    /* by an expectation; `message` says which */
    bool leaked;    /* LeakSanitizer found something when it had ended */
    unsigned steps; /* how many were told; the last STEP_LIMIT are kept */
    char step[STEP_LIMIT][STEP_SIZE];
    char message[MESSAGE_SIZE];
    size_t trace_length;
    char trace[TRACE_SIZE];
};

/* The log of the case that runs. */
extern struct case_log *case_log;
struct case_log *case_log_create(void); /* NULL: no memory */
/* The kept step number i, counted from 0; NULL when it is not kept. */
const char *case_log_step(const struct case_log *log, unsigned i);
/* Tells the steps on standard error as they come, too (--no-fork). */
void steps_tell(bool on);

/* What became of a case. */
struct verdict {
    enum lab_exit exit;
    double seconds;
    char message[MESSAGE_SIZE]; /* lines; empty when it passed */
    char output[OUTPUT_TAIL];   /* the end of what it printed, NUL-terminated */
};

/* The word for a verdict in reports: "passed", "early-exit", ... */
const char *verdict_word(enum lab_exit exit);
/* Finds it out. `ending` is what Check says of how the process ended, "" for exit code 0; `output` of
 * the verdict is there already. */
void verdict_find(struct verdict *v, const struct case_log *log, const char *ending);

/* Runs one case in a process of its own. False: the machine could not. */
bool case_run(const char *milestone, const struct lab_case *c, struct verdict *v);
/* Runs it in this process, with everything told as it happens. */
enum lab_exit case_run_here(const struct lab_case *c);

/* The line with which a sanitizer's report begins in `output`; NULL: there is none. */
const char *report_line_begin(const char *output);
/* The first line of a sanitizer's report in `output`, and the place in the student's code, or failing
 * that in the test's, to which it points. False: there is no report. */
bool sanitizer_report(const char *output, char *text, size_t size);
/* The same for LeakSanitizer: how much, and where it was allocated. */
bool leak_report(const char *output, char *text, size_t size);
/* Looks for leaks now; true: there are, and a report was printed. */
bool leak_check(void);
/* The exit code that a sanitizer uses when it stops a program. */
enum { SANITIZER_EXIT = 86 };

/* How long a case may take, in seconds; longer where all is slower. CK_TIMEOUT_MULTIPLIER stretches it. */
enum { TIME_LIMIT = UNDER_TSAN ? 30 : 10 };

/* The report on standard output: one line, or at most 40 for a failure. */
void report_line(const char *id, const struct lab_case *c, const struct verdict *v);
void report_failure(const char *milestone, const struct lab_case *c, const struct verdict *v,
                    const struct case_log *log, const char *program);

/* The sealed record: see record.c. */
bool record_open(void);   /* false: it is asked for and cannot be had */
void record_forget(void); /* in the process of a case: its code must not find the nonce */
bool record_write(const char *id, const struct lab_case *c, const struct verdict *v,
                  const struct case_log *log);

/* The wraps count and disturb from here on; and no more. */
void allocations_begin(void);
void allocations_end(void);
void calls_begin(void);

/* Counts a call, and says whether it is to fail: if so, errno is set. */
bool call_fails(enum lab_call call);
/* How many of `length` bytes it may move. */
size_t call_limit(enum lab_call call, size_t length);
/* False: this thread's calls are the test's own. */
bool calls_watched(void);

/* The text of a number that may be a negative errno: "-22 (-EINVAL)". */
void number_text(char *text, size_t size, intptr_t number);

/* Where every failure of an expectation ends: for gdb's `break`. */
_Noreturn void test_failed(void);

#endif
