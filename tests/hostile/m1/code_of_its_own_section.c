/* Puts code where data is. */

__asm__(".pushsection .lab, \"awx\", @progbits\n\tret\n\t.popsection");

/* (the stub) */
