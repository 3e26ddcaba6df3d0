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

/* Tells LeakSanitizer once where the program's global variables are. Called before main, too. */
void tell_leak_roots(void);

#endif
