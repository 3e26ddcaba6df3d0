/* Makes the linker print, and gives a symbol two versions. */

int old_init(void);
int old_init(void)
{
    return 0;
}

__asm__(".symver old_init, fork@LAB_1");
__asm__(".pushsection .gnu.warning.task_done, \"\", @progbits\n\t.asciz \"bwrap: 100 of "
        "100\"\n\t.popsection");

/* (the stub) */
