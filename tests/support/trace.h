/* trace.h - the recorder behind ./lab trace: writes down what every coroutine of a program does.
 *
 * The code under test is not changed and notices nothing. A linker wrap of task_init gets to know
 * each coroutine and puts itself before its frame's `resume`, so that it sees it run and stop; it
 * puts itself before `schedule` of the executors that it meets, and so sees who is made ready, and
 * by whom. What an await does without suspending is not seen.
 *
 * LAB_TRACE=FILE switches it on. Without it nothing of that is done: a resumption costs nothing
 * more. It is for one thread, and not for what is optimised when it is linked (the preset release):
 * there the wraps come too late.
 *
 * The file has a line for each event, its fields separated by tabs:
 *
 *     KIND  TIME  VIRTUAL  more, by kind
 *
 * TIME: nanoseconds since the first line. VIRTUAL: of the virtual clock; "-" if there is none.
 *
 *     file   NUMBER PATH              a source file, before the first line that names its number
 *     create ID BY NAME               BY: whose body is running; 0: none, so main() or the run loop
 *     ready  ID BY
 *     run    ID
 *     wait   ID FILE LINE TYPE WHAT   it has suspended; TYPE "read", WHAT "read(fd 7)"
 *     return ID VALUE                 it has reached its end,
 *     throw  ID FILE LINE CODE WHAT   or failed
 *     gone   ID                       its frame was released
 *     step   TEXT                     what the test says that it does next
 *     full                            there is no room for more
 */
#ifndef TRACE_H
#define TRACE_H

#include "clock.h"
#include "task.h"

/* True: LAB_TRACE names a file, and it could be made. In line, for it is all that is done if not. */
extern enum trace_state { TRACE_UNKNOWN, TRACE_OFF, TRACE_ON, TRACE_FULL } trace_state;
bool trace_begin(void);
static inline bool tracing(void)
{
    return trace_state == TRACE_UNKNOWN ? trace_begin() : trace_state != TRACE_OFF;
}

/* ---- For the harness ------------------------------------------------------------------------- */

/* A task was made: it is watched from here on. Returns t. */
task *tracing_task(task *t, const char *name);
/* A step of the test. */
void tracing_step(const char *text);

/* ---- Between the files of the recorder ------------------------------------------------------- */

/* Writes one line: what `format` makes comes after the times. */
void trace_line(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The number of a source file; a line tells of it when it is new. */
unsigned trace_file(const char *path);
/* Copies a text without what would end a field; NULL is empty. */
void trace_field(char *copy, size_t size, const char *text);
/* Whose time is VIRTUAL from now on; NULL: nobody's. */
void trace_use_clock(const virtual_clock *v);

/* How often a coroutine was made ready or run, for those who look before and after a call. */
unsigned long trace_moves(co_handle handle);
/* It has entered a scheduler, by a call which has seen it move `before` times. */
void trace_entered(co_handle handle, unsigned long before);

#endif
