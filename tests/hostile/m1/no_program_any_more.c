/* Brings the beginning of the program along. */
#include <unistd.h>

void _start(void);
void _start(void)
{
    _exit(0);
}

/* (the stub) */
