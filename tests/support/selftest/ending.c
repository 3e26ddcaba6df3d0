/* ending.c - cases whose process does not come to the end of the test, or not cleanly. */
#include "lab_test.h"
#include "not_implemented.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the compiler must not see through. */
static void *volatile hidden;
static volatile int number = INT_MAX;

LAB_TEST(crashes_by_segv)
{
    step("follow NULL");
    hidden = NULL;
    *(int *)hidden = 1;
}

LAB_TEST(crashes_by_abort)
{
    step("give up");
    trace("so far");
    (void)fprintf(stderr, "the frame is broken\n");
    abort();
}

LAB_TEST(crashes_by_use_after_free)
{
    int *block = malloc(sizeof *block);

    hidden = block;
    free(hidden);
    *(volatile int *)hidden = 1;
}

LAB_TEST(crashes_by_double_free)
{
    hidden = malloc(1);
    free(hidden);
    free(hidden);
}

LAB_TEST(crashes_by_overflow)
{
    number = number + 1;
}

LAB_TEST(hangs)
{
    step("begin a loop without end");
    trace("round 1");
    for (;;) {
        number = 0;
    }
}

LAB_TEST(sleeps_for_ever)
{
    step("wait for a signal that never comes");
    for (;;) {
        (void)pause();
    }
}

LAB_TEST(prints_for_ever)
{
    for (;;) {
        (void)printf("%01000d\n", 0);
    }
}

LAB_TEST(leaks)
{
    step("lose a block");
    hidden = malloc(24);
    hidden = NULL;
}

LAB_TEST(leaks_with_its_address_in_a_register)
{
    step("lose a block whose address is still in a vector register, in which nobody looks for it");
    hidden = malloc(24);
#ifdef __x86_64__
    __asm__ volatile("movq %0, %%xmm15" ::"r"(hidden)); /* not told, so that it stays there */
#endif
    hidden = NULL;
}

LAB_TEST(exits_0)
{
    step("leave");
    exit(0);
}

LAB_TEST(exits_at_once_0)
{
    _exit(0);
}

LAB_TEST(exits_3)
{
    exit(3);
}

LAB_TEST(executes_true)
{
    (void)execlp("true", "true", (char *)NULL);
}

LAB_TEST(not_written)
{
    not_implemented();
}

/* True: `piece` holds the text of which `masked` is the next character each; so that the search does
 * not find what it is looking for with. */
static bool piece_has(const char *piece, size_t length, const char *masked)
{
    size_t size = strlen(masked);
    const char *end = piece + length;
    const char *at = memchr(piece, masked[0] - 1, length);

    for (; at != NULL && at + size <= end; at = memchr(at, masked[0] - 1, (size_t)(end - at))) {
        size_t same = 0;

        while (same < size && at[same] + 1 == masked[same]) {
            same++;
        }
        if (same == size) {
            return true;
        }
        at++;
    }
    return false;
}

/* Searches all of this process's memory that can be written, but for a sanitizer's shadow. */
static bool memory_has(const char *masked)
{
    static char piece[1 << 16];
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory = open("/proc/self/mem", O_RDONLY);
    unsigned long begin;
    unsigned long end;
    char mode[8];
    char line[512];
    bool found = false;

    while (!found && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) != 3 || mode[1] != 'w' ||
            end - begin > 1ul << 26) {
            continue;
        }
        for (; !found && begin < end; begin += sizeof piece / 2) {
            ssize_t got = pread(memory, piece, sizeof piece, (off_t)begin);

            found = got > 0 && piece_has(piece, (size_t)got, masked);
        }
    }
    (void)fclose(maps);
    (void)close(memory);
    return found;
}

static void wait_for_ever(void)
{
    for (;;) {
        (void)pause();
    }
}

LAB_TEST(ends_late)
{
    step("leave something behind that does not end when the process does");
    expect_int("atexit", atexit(wait_for_ever), 0);
}

/* The nonce that test_harness.py hands in holds the word N0NCE-SECRET. */
LAB_TEST(sees_no_secret)
{
    static volatile char known[] = "KNOWN-SECRET";
    char path[64];
    char target[64];
    int fd;

    step("look at the environment");
    expect_true("LAB_RECORD_FD is gone", getenv("LAB_RECORD_FD") == NULL);
    expect_true("LAB_NONCE_FD is gone", getenv("LAB_NONCE_FD") == NULL);
    step("look for pipes");
    for (fd = 3; fd < 64; fd++) {
        ssize_t length;

        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        expect_true("no descriptor is a pipe", strncmp(target, "pipe:", 5) != 0);
    }
    step("look for the nonce in memory");
    expect_int("a word that is there begins with", known[0], 'K');
    expect_true("the search finds it", memory_has("LOPXO.TFDSFU"));
    expect_true("the nonce is not there", !memory_has("O1ODF.TFDSFU"));
    step("look into the process that holds it");
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)getppid());
    expect_true("its descriptors cannot be opened", geteuid() == 0 || access(path, R_OK) != 0);
}
