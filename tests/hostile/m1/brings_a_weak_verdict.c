/* The same, weak, so that the linker has a choice. */

const char *verdict_word(int exit);
__attribute__((weak)) const char *verdict_word(int exit)
{
    (void)exit;
    return "passed";
}

/* (the stub) */
