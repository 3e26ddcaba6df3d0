/* sanitizers.c - how the sanitizers are set.
 *
 * The options are compiled in, so that a test behaves alike wherever it is started; ASAN_OPTIONS and
 * the like still come after them.
 */
#include "sanitizers.h"
#include "harness.h"

#if UNDER_ASAN
#include <link.h>
#include <sanitizer/lsan_interface.h>
#include <string.h>
#endif

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__lsan_default_options(void);
const char *__tsan_default_options(void);

/* exitcode is SANITIZER_EXIT. Leaks are looked for by leak_check, at the end of a test, and not at the
 * end of every process. The quarantine is small so that a million tasks fit into a sandbox. */
const char *__asan_default_options(void)
{
    return "exitcode=86:detect_leaks=1:leak_check_at_exit=0:handle_abort=1:abort_on_error=0:"
           "detect_stack_use_after_return=1:allocator_may_return_null=1:quarantine_size_mb=64:"
           "color=never";
}

const char *__ubsan_default_options(void)
{
    return "exitcode=86:print_stacktrace=1:color=never";
}

/* use_globals=0: look_at_globals tells where they are. */
const char *__lsan_default_options(void)
{
    return "exitcode=86:report_objects=1:print_suppressions=0:use_globals=0:color=never";
}

const char *__tsan_default_options(void)
{
    return "exitcode=86:halt_on_error=1:handle_abort=1:second_deadlock_stack=1:color=never";
}

#if UNDER_ASAN
/* LeakSanitizer takes whatever looks like a pointer on the stack for one, also what a function that has
 * returned left behind where its own frames are now. So that is overwritten first. */
__attribute__((noinline, no_sanitize_address)) static void clear_dead_stack(void)
{
    volatile char room[128 * 1024];
    size_t i;

    for (i = 0; i < sizeof room; i++) {
        room[i] = 0;
    }
}

static int look_at_globals_of(struct dl_phdr_info *object, size_t size, void *context)
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

/* What a global variable points to is no leak. LeakSanitizer would find those by itself, but would go
 * through the 11 MiB of the sanitizers' own as well, which point to nothing of the program's: over
 * half of the processor time of a short test, nearly all of it page faults. */
static void look_at_globals(void)
{
    (void)dl_iterate_phdr(look_at_globals_of, NULL);
}
#endif

bool leak_check(void)
{
#if UNDER_ASAN
    clear_dead_stack();
    look_at_globals();
    return __lsan_do_recoverable_leak_check() != 0;
#else
    return false;
#endif
}
