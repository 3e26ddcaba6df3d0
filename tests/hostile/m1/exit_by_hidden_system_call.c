/* Jumps into the middle of an instruction, which there is a system call. */
#include "not_implemented.h"

static void attack(void)
{
    __asm__ volatile("mov $231, %%eax\n\t"
                     "xor %%edi, %%edi\n\t"
                     "jmp 1f + 1\n"
                     "1:\tmov $0x050f, %%ecx" ::
                         : "rax", "rdi", "rcx", "r11");
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
