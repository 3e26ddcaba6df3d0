/* Prints bytes that are no text, and ends of lines that are none. */
#include "not_implemented.h"

#include <stdio.h>
#include <stdlib.h>

static void attack(void)
{
    (void)fputs("\xff\xfe\xed\xa0\x80 \x1b[2J \x1b]0;title\a <script>alert(1)</script> \\u0000 \r",
                stdout);
    (void)fwrite("\0\0\0", 1, 3, stdout);
    abort();
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
