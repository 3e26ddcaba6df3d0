/* descriptors.c - how many descriptors are open. */
#include "lab_test.h"

#include <dirent.h>

int open_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;
    int count = -1; /* that of the directory itself */

    if (directory == NULL) {
        fail_test("the test itself: /proc/self/fd cannot be read");
    }
    while ((entry = readdir(directory)) != NULL) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(directory);
    return count;
}
