/* harness.h - what the files of the harness know of each other. Tests include lab_test.h instead. */
#ifndef HARNESS_H
#define HARNESS_H

#include "lab_test.h"
#include "sanitizers.h"

#include <stdio.h>

enum {
    STEP_LIMIT = 64,
    STEP_SIZE = 160,
    MESSAGE_SIZE = 4096,
    TRACE_SIZE = 64 * 1024,
    STACK_LIMIT = 64, /* innermost frames */
    STACK_TEXT_SIZE = 32 * 1024,
    COROUTINES_SIZE = 4096,
    OUTPUT_LIMIT = 16 * 1024 * 1024, /* what one case may print */
    OUTPUT_TAIL = 64 * 1024          /* how much of it is kept */
};

/* Written by the process of a case, read by the runner when it has ended: memory that both share. */
struct case_log {
    bool began;   /* the body of the test was entered */
    bool reached; /* and left at its end, or at an expectation that failed */
    bool failed;  /* by an expectation; `message` says which */
    bool leaked;  /* LeakSanitizer found something when it had ended */
    bool misused; /* no fault of the code under test: the test was started wrongly */
    bool seeded;  /* LAB_SEED=`seed` does the same again, see chance.c */
    unsigned seed;
    unsigned steps; /* how many were told; the last STEP_LIMIT are kept */
    char step[STEP_LIMIT][STEP_SIZE];
    char message[MESSAGE_SIZE];
    size_t trace_length;
    char trace[TRACE_SIZE];

    /* How it ended in mid-test, see endings.c. */
    bool timed_out;
    bool busy; /* and used the processor most of that time */
    bool exit_called;
    int depth; /* of the stack when it failed, ended or took too long; 0: not known */
    void *stack[STACK_LIMIT];
    char coroutines[COROUTINES_SIZE]; /* who waits for what, or is left */
    char scratch[64];                 /* what a copy of the process hands over */
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
    char message[MESSAGE_SIZE];  /* lines; empty when it passed */
    char output[OUTPUT_TAIL];    /* the end of what it printed, NUL-terminated */
    char stack[STACK_TEXT_SIZE]; /* where it failed, ended or hung; empty: not known */
};

/* The word for a verdict in reports: "passed", "early-exit", ... */
const char *verdict_word(enum lab_exit exit);
/* Finds it out. `ending` is what Check says of how the process ended, "" for exit code 0; `output` of
 * the verdict is there already. */
void verdict_find(struct verdict *v, const struct case_log *log, const char *ending);

/* What has caused it, probably; the case's own guess is about expectations that do not hold. Empty: nobody
 * needs to guess, or a sanitizer says what is wrong, and in which line of the student's. */
const char *likely_cause(const struct lab_case *c, const struct verdict *v);

/* Runs one case in a process of its own. False: the machine could not. To explain it, that is, to find the
 * source lines, may leave helpers behind, whose descriptors the processes of other cases would inherit. */
bool case_run(const char *milestone, const struct lab_case *c, bool explain, struct verdict *v);
/* Runs it in this process, with everything told as it happens. */
enum lab_exit case_run_here(const struct lab_case *c);

/* ---- What a report of a sanitizer says: its kind in plain words, and the places in the student's code,
 * or failing that in the test, to which it points. */
/* The line with which it begins in `output`; NULL: there is none. */
const char *report_line_begin(const char *output);
/* False: there is no report. */
bool sanitizer_report(const char *output, char *text, size_t size);
/* The same for LeakSanitizer: what was lost, where it was allocated, and of `coroutines`, a list made by
 * coroutines_left, those that are among it. */
bool leak_report(const char *output, const char *coroutines, char *text, size_t size);

/* ---- Stacks, as text: lines like those of sanitizers. See frames.c. */
void stack_text(const struct case_log *log, char *text, size_t size);
/* "in task_get, m1-task/task.c:88": the innermost frame of the first stack in the text that is in the
 * student's code; failing that, where it was in the test. Nothing if no frame is in the lab. */
void nearest_frame(const char *stack, char *text, size_t size);
/* True: that frame is in the student's code. */
bool leads_to_student(const char *stack);
/* "called from run (line 340), ...": the student's functions that lead there, in one line. */
void frame_callers(const char *stack, char *text, size_t size);
/* The line of the test at which it happened; nothing if it is not known. */
void test_place(const char *stack, char *text, size_t size);
/* A path from the student's folder, or the kit's, on. */
const char *lab_path(const char *place);
const char *next_line(const char *line);

/* ---- In the process of a case: who is where, and how it ends. */
void endings_begin(void);
/* The test is through: from here on the process may end with exit code 0. */
void endings_end(void);
/* Notes the stack as it is. */
void note_stack(void);
/* In seconds; CK_TIMEOUT_MULTIPLIER stretches it. */
double time_limit(void);
/* The thread that does the work while the first one waits for it. */
void worker_begins(void);
void worker_ends(void);
void coroutines_begin(void);
void coroutine_forget(const void *block);
/* One coroutine, by its frame, which may be anything: what it is doing, */
enum coroutine_kind { COROUTINE_GONE, COROUTINE_ENDED, COROUTINE_RUNS, COROUTINE_WAITS };
enum coroutine_kind coroutine_kind(const void *frame);
/* in words, "reader is suspended at tests/...:53, waits for read(fd 6)", */
void describe_coroutine(char *text, size_t size, const void *frame);
/* or how far it came before it was forgotten: "reader, which had ended". */
void describe_remains(char *text, size_t size, const void *frame);
/* One line for each coroutine that has not ended, below a heading; nothing if there is none. */
void coroutines_tell(char *text, size_t size);
/* One line for each that was not destroyed, with its address. */
void coroutines_left(char *text, size_t size);

/* What is allocated from here on can be a leak. */
void leak_check_begin(void);
/* Looks for leaks now; true: there are, and a report was printed. */
bool leak_check(void);
/* The exit code that a sanitizer uses when it stops a program. */
enum { SANITIZER_EXIT = 86 };

/* How long a case may take, in seconds; longer where all is slower, and so many times longer for one
 * that computes on a machine with no room for it. It then says itself where it hangs; if it cannot,
 * Check ends it a little later. */
enum { TIME_LIMIT = UNDER_TSAN ? 30 : 10, EXTENSIONS = 5, GRACE = 2 };

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
