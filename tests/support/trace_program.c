/* trace_program.c - in a program without the harness the recorder itself wraps task_init. */
#include "trace.h"

task *__real_task_init(task *t, const char *name, void (*body)(co_handle),
                       void (*release)(co_handle));
task *__wrap_task_init(task *t, const char *name, void (*body)(co_handle),
                       void (*release)(co_handle));

task *__wrap_task_init(task *t, const char *name, void (*body)(co_handle),
                       void (*release)(co_handle))
{
    return tracing_task(__real_task_init(t, name, body, release), name);
}
