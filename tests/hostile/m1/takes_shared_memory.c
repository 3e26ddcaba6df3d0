/* Takes memory that is no process' own. If it gets all that it wants, it crashes. */
#include "not_implemented.h"

#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>

static void attack(void)
{
    int i;

    for (i = 0; i < 16; i++) { /* 1 GiB: enough to show it */
        int id = shmget(IPC_PRIVATE, 64 << 20, IPC_CREAT | 0600);
        void *memory = shmat(id, NULL, 0);

        if (memory == (void *)-1) {
            return;
        }
        memset(memory, 1, 64 << 20);
        (void)shmdt(memory);
    }
    abort();
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
