/* Makes the assembler say what the sandbox would say. */

__asm__(".print \"bwrap: No space left\"\n\t.err");

/* (the stub) */
