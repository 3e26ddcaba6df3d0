/* Leaves a thread behind that never ends. */
#include "not_implemented.h"

#include <pthread.h>

static void *spin(void *nothing)
{
    for (volatile int i = 0;; i++) {
    }
    return nothing;
}

static void attack(void)
{
    pthread_t thread;

    (void)pthread_create(&thread, NULL, spin, NULL);
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
