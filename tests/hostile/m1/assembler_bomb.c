/* Lets the assembler repeat itself. */

__asm__(".rept 1000000000\n\t.quad 1, 2, 3, 4\n\t.endr");

/* (the stub) */
