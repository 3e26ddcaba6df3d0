/* sanitizers.c - how the sanitizers are set.
 *
 * The options are compiled in, so that a test behaves alike wherever it is started; ASAN_OPTIONS and
 * the like still come after them.
 */
#include "sanitizers.h"
#include "harness.h"

#if UNDER_ASAN
#include <sanitizer/lsan_interface.h>
#endif

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
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

const char *__tsan_default_options(void)
{
    return "exitcode=86:halt_on_error=1:handle_abort=1:second_deadlock_stack=1:color=never";
}

#if UNDER_ASAN
/* LeakSanitizer takes whatever looks like a pointer, on the stack and in a register, for one: also what a
 * function that has returned left behind where its own frames are now, and in a vector register that copied
 * a struct and has not been used since. So these are overwritten first. */
__attribute__((noinline, no_sanitize_address)) static void clear_dead_stack(void)
{
    volatile char room[128 * 1024];
    size_t i;

    for (i = 0; i < sizeof room; i++) {
        room[i] = 0;
    }
}

static void clear_vector_registers(void)
{
#ifdef __x86_64__
#define CLEAR(n) "vpxorq %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
    if (__builtin_cpu_supports("avx")) {
        __asm__ volatile("vzeroall" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                               "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                               "xmm15");
    }
    if (__builtin_cpu_supports("avx512f")) { /* no code of ours uses these, but memcpy does */
        __asm__ volatile(CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22)
                             CLEAR(23) CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27) CLEAR(28) CLEAR(29)
                                 CLEAR(30) CLEAR(31)::);
    }
#undef CLEAR
#endif
}
#endif

void leak_check_begin(void)
{
#if UNDER_ASAN
    count_leaks_from_here();
#endif
}

bool leak_check(void)
{
#if UNDER_ASAN
    if (__lsan_is_turned_off()) {
        return false;
    }
    tell_leak_roots(); /* again; of a library only what is called is linked */
    clear_dead_stack();
    clear_vector_registers();
    return __lsan_do_recoverable_leak_check() != 0;
#else
    return false;
#endif
}
