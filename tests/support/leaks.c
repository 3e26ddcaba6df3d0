/* leaks.c - when LeakSanitizer looks for leaks, and where: in each test program, and in the servers that are
 * tested. Its search takes longer than most tests. */
#include "sanitizers.h"

#if UNDER_ASAN
#include <link.h>
#include <sanitizer/lsan_interface.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Declared by sanitizer/allocator_interface.h, which gcc does not install. */
size_t __sanitizer_get_current_allocated_bytes(void);

/* ---- When ---------------------------------------------------------------- */

static size_t allocated_before;

void count_leaks_from_here(void)
{
    allocated_before = __sanitizer_get_current_allocated_bytes();
}

/* LeakSanitizer asks before it looks: whoever has freed as much as he allocated has leaked nothing. */
int __lsan_is_turned_off(void)
{
    return __sanitizer_get_current_allocated_bytes() == allocated_before;
}

/* ---- Where --------------------------------------------------------------- */

/* use_globals=0: tell_leak_roots tells where they are. */
const char *__lsan_default_options(void)
{
    return "exitcode=86:report_objects=1:print_suppressions=0:use_globals=0:color=never";
}

static int add_roots_of(struct dl_phdr_info *object, size_t size, void *context)
{
    int i;

    (void)size;
    (void)context;
    if (strstr(object->dlpi_name, "libasan") != NULL ||
        strstr(object->dlpi_name, "libubsan") != NULL) {
        return 0;
    }
    for (i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) != 0) {
            __lsan_register_root_region((const void *)(object->dlpi_addr + segment->p_vaddr),
                                        segment->p_memsz);
        }
    }
    return 0;
}

/* What a global variable points to is no leak. LeakSanitizer would find those by itself, but would go through
 * the 11 MiB of the sanitizers' own as well, which point to nothing of the program's. Before main: no library is
 * opened later. */
__attribute__((constructor)) void tell_leak_roots(void)
{
    static bool told;

    if (!told) {
        told = true;
        (void)dl_iterate_phdr(add_roots_of, NULL);
    }
}

/* The buffer of standard output stays to the end. A program gets it with the first byte that it writes; now it
 * is there before anything is counted. (To a terminal lines are written at once, and that is to stay so.) */
__attribute__((constructor)) static void begin_counting(void)
{
    if (!isatty(STDOUT_FILENO)) {
        (void)setvbuf(stdout, NULL, _IOFBF, 0);
    }
    count_leaks_from_here();
}
#endif
