/* leak_roots.c - where LeakSanitizer looks for what is no leak: in each test program, and in the servers that
 * are tested. */
#include "sanitizers.h"

#include <stdbool.h>

#if UNDER_ASAN
#include <link.h>
#include <sanitizer/lsan_interface.h>
#include <string.h>

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
 * the 11 MiB of the sanitizers' own as well, which point to nothing of the program's: over half of the
 * processor time of a short test, nearly all of it page faults. Before main: no library is opened later. */
__attribute__((constructor)) void tell_leak_roots(void)
{
    static bool told;

    if (!told) {
        told = true;
        (void)dl_iterate_phdr(add_roots_of, NULL);
    }
}
#endif
