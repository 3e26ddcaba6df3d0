/* resident.h - how much memory a process has in use. */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdio.h>
#include <string.h>

/* Bytes of `pid` ("self", or a number) that are in memory; -1 if that cannot be read. From
 * smaps_rollup, which counts the pages: the sums in status and statm may be a few hundred kilobytes
 * late. */
static inline long resident_bytes(const char *pid)
{
    char path[64], line[256];
    long kilobytes = -1;
    FILE *file;

    (void)snprintf(path, sizeof path, "/proc/%s/smaps_rollup", pid);
    file = fopen(path, "r");
    if (file == NULL) {
        return -1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "Rss: %ld kB", &kilobytes) == 1) {
            break;
        }
    }
    (void)fclose(file);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

#endif
