/* Writes a record without the secret to whatever is open, before the tests do. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static __attribute__((constructor)) void attack(void)
{
    static const char record[] =
        "{\"nonce\": \"\", \"id\": \"m1.resume_after_done\", \"status\": \"passed\"}\n";
    int fd;

    for (fd = 3; fd < 64; fd++) {
        (void)!write(fd, record, strlen(record));
    }
}

/* (the stub) */
