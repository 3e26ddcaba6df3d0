/* symbols.c - the stack that a case's process has noted, as text: with the sanitizer's own means, or with
 * addr2line. The runner does it: the process of the case is a copy of it, with everything at the same
 * addresses. */
#include "harness.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#if UNDER_ASAN || UNDER_TSAN
#include <sanitizer/common_interface_defs.h>

/* Inlined calls make several texts of one address, one after the other. */
static void add_frame(char *text, size_t size, void *address)
{
    char frames[2048] = "";
    const char *frame = frames;

    __sanitizer_symbolize_pc(address, "    #0 %p in %f %S", frames, sizeof frames - 1);
    for (; *frame != '\0'; frame += strlen(frame) + 1) {
        size_t used = strlen(text);

        (void)snprintf(text + used, size - used, "%s\n", frame);
    }
}

#else

/* "task_get at /path/task.c:88" as a sanitizer would write it. */
static void add_line(char *text, size_t size, char *line)
{
    static const char inlined[] = " (inlined by) ";
    char *at;
    size_t used = strlen(text);

    if (strncmp(line, inlined, strlen(inlined)) == 0) {
        line += strlen(inlined);
    }
    at = strstr(line, " at ");
    if (at != NULL) {
        *at = '\0';
        at[strcspn(at + 1, "\n") + 1] = '\0';
        (void)snprintf(text + used, size - used, "    #0 0x0 in %s %s\n", line, at + 4);
    }
}

/* Best effort: without addr2line there is no text. Return addresses are one behind the call. */
static void add_frame(char *text, size_t size, void *address)
{
    char command[256];
    char line[1024];
    Dl_info info;
    Dl_info own;
    FILE *output;

    if (dladdr(address, &info) == 0 || dladdr((void *)(uintptr_t)add_frame, &own) == 0 ||
        info.dli_fbase != own.dli_fbase) {
        return;
    }
    (void)snprintf(command, sizeof command, "addr2line -fipe /proc/%d/exe %#tx 2>/dev/null",
                   (int)getpid(), (char *)address - (char *)info.dli_fbase - 1);
    output = popen(command, "r"); // NOLINT(cert-env33-c): no part of it comes from outside
    while (output != NULL && fgets(line, sizeof line, output) != NULL) {
        add_line(text, size, line);
    }
    if (output != NULL) {
        (void)pclose(output);
    }
}
#endif

void stack_text(const struct case_log *log, char *text, size_t size)
{
    int i;

    text[0] = '\0';
    for (i = 0; i < log->depth && i < STACK_LIMIT; i++) {
        add_frame(text, size, log->stack[i]);
    }
}
