/* Looks for the solution, and for others' work, when it is compiled. If it is there, it crashes. */
#include "not_implemented.h"

#include <stdlib.h>

#if __has_include("@KIT@/solutions/m1-task/task.c")
#define attack() abort()
#elif __has_include("/proc/self/cwd/../../../kit/solutions/m1-task/task.c")
#define attack() abort()
#elif __has_include("/proc/self/root/@KIT@/solutions/m1-task/task.c")
#define attack() abort()
#elif __has_include("../../solutions/m1-task/task.c")
#define attack() abort()
#elif __has_include("@CLASS@/honest-reference/m1-task/task.c")
#define attack() abort()
#elif __has_include("../../../../class/honest-reference/m1-task/task.c")
#define attack() abort()
#elif __has_include("@KIT@/tests/m1-task/creation.c")
#define attack() abort()
#elif __has_include("/etc/shadow")
#define attack() abort()
#elif __has_include("/etc/passwd")
#define attack() abort()
#else
#define attack() ((void)0)
#endif

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
