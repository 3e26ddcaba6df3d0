/* Is the solution, by its path. */
#include "@KIT@/solutions/m1-task/task.c"
