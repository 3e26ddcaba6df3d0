/* The same without the attribute by which one would look for it. */
#include <unistd.h>

static void attack(void)
{
    _exit(0);
}

static __attribute__((section(".init_array"), used)) void (*started)(void) = attack;

/* (the stub) */
