/* Has its own malloc, which nobody counts. */
#include <stddef.h>

void *malloc(size_t size);
void *malloc(size_t size)
{
    static _Alignas(16) char memory[1 << 20];
    static size_t used;
    void *block = memory + used;

    used += (size + 15) / 16 * 16;
    return block;
}

/* (the stub) */
