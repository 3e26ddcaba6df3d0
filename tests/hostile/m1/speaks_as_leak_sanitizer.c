/* Says what LeakSanitizer says where it does not work. */
#include <stdio.h>

#define task_init quiet_init

/* (the reference) */

#undef task_init
task *task_init(task *t, const char *name, void (*body)(co_handle), void (*release)(co_handle));
task *task_init(task *t, const char *name, void (*body)(co_handle), void (*release)(co_handle))
{
    (void)puts("LeakSanitizer has encountered a fatal error.");
    return quiet_init(t, name, body, release);
}
