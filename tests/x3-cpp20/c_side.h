/* c_side.h - coroutines in C, to be awaited from C++ and to await C++. */
#ifndef C_SIDE_H
#define C_SIDE_H

#include "timers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Awaits `child`; its value, and one. What the child throws passes through. */
task *c_adder(task *child);

/* Awaits `child`, and stores what it throws in *seen. */
task *c_catcher(task *child, co_error *seen);

/* Throws -42, "thrown in C", at c_thrower_line. */
task *c_thrower(void);
extern const int c_thrower_line;

/* Prints `name` three times to `log`, and yields after each. */
task *c_printer(scheduler *s, char name, char *log);

/* Calls the first and the second word of a frame, whosever it is. */
void c_resume(co_handle frame);
void c_destroy(co_handle frame);

#ifdef __cplusplus
}
#endif

#endif
