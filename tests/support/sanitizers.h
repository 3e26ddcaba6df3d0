/* sanitizers.h - with which sanitizer a file is compiled, for GCC and Clang alike. */
#ifndef SANITIZERS_H
#define SANITIZERS_H

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#else
#define UNDER_ASAN 0
#endif

#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif

/* Only with UNDER_ASAN. Before main all this is done once. */
void count_leaks_from_here(void);
int __lsan_is_turned_off(
    void);                  /* as many bytes are allocated as there: no leak need be looked for */
void tell_leak_roots(void); /* tells LeakSanitizer once where the program's global variables are */

#endif
