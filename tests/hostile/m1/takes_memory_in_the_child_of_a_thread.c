/* Takes memory where one who follows the main thread's children does not look. */
#include "not_implemented.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *start(void *nothing)
{
    if (fork() == 0) {
        int i;

        for (i = 0; i < 256; i++) {
            memset(malloc(1 << 22), 1, 1 << 22);
        }
        (void)sleep(1);
        _exit(0);
    }
    (void)wait(NULL);
    return nothing;
}

static void attack(void)
{
    pthread_t thread;

    (void)pthread_create(&thread, NULL, start, NULL);
    (void)pthread_join(thread, NULL);
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
