/* Ends the program without the name of a function. */
#include "not_implemented.h"

static void attack(void)
{
    __asm__ volatile("mov $231, %%eax\n\txor %%edi, %%edi\n\tsyscall" ::
                         : "rax", "rdi", "rcx", "r11");
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
