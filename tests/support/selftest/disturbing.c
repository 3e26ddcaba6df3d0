/* disturbing.c - the wraps: that they count, and that they disturb what they should. */
#include "clock.h"
#include "lab_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

LAB_TEST(injects_emfile)
{
    int epoll;
    int event;

    inject_error(CALL_NEW_FD, 2, 0, 1, EMFILE);
    epoll = epoll_create1(0);
    event = eventfd(0, 0);
    expect_true("the first is there", epoll >= 0);
    expect_int("the second", event, -1);
    expect_int("errno", errno, EMFILE);
    event = eventfd(0, 0);
    expect_true("the third is there", event >= 0);
    expect_int("calls", (intptr_t)call_count(CALL_NEW_FD), 3);
    inject_error(CALL_CLOSE, 1, 0, 1, EINTR);
    expect_int("close", close(event), -1);
    expect_int("close again: it was closed", close(event), -1);
    expect_int("errno", errno, EBADF);
    expect_int("close of the other", close(epoll), 0);
}

LAB_TEST(injects_in_steps)
{
    char byte = 'x';
    int fds[2];
    int i;

    expect_int("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    inject_error(CALL_READ, 1, 2, 3, EINTR);
    for (i = 1; i <= 8; i++) {
        ssize_t got;

        expect_int("send", send(fds[0], &byte, 1, 0), 1);
        got = i % 4 < 2 ? recv(fds[1], &byte, 1, 0) : read(fds[1], &byte, 1);
        trace("%s", got == 1 ? "1" : errno == EINTR ? "intr" : "other");
    }
    expect_trace("intr 1 intr 1 intr 1 1 1");
    expect_int("reads", (intptr_t)call_count(CALL_READ), 8);
    expect_int("writes", (intptr_t)call_count(CALL_WRITE), 8);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

LAB_TEST(cuts_transfers)
{
    char buffer[16];
    struct iovec pieces[] = {{"ab", 2}, {"cd", 2}, {"ef", 2}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 3};
    int fds[2];

    expect_int("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    limit_transfer(CALL_WRITE, 3);
    expect_int("writev", writev(fds[0], pieces, 3), 3);
    expect_int("sendmsg", sendmsg(fds[0], &message, 0), 3);
    expect_int("write", write(fds[0], "ghij", 4), 3);
    limit_transfer(CALL_WRITE, 0);
    expect_int("sendto", sendto(fds[0], "jklm", 4, 0, NULL, 0), 4);
    limit_transfer(CALL_READ, 5);
    expect_int("read", read(fds[1], buffer, sizeof buffer), 5);
    expect_bytes("bytes", buffer, 5, "abcab", 5);
    expect_int("recv", recv(fds[1], buffer, sizeof buffer, 0), 5);
    expect_bytes("bytes", buffer, 5, "cghij", 5);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

LAB_TEST(leaves_own_calls_alone)
{
    char byte;
    int fds[2];

    expect_int("pipe", pipe(fds), 0);
    inject_error(CALL_READ, 1, 1, 100, EIO);
    watch_calls(false);
    expect_int("write", write(fds[1], "x", 1), 1);
    expect_int("read", read(fds[0], &byte, 1), 1);
    watch_calls(true);
    expect_int("reads", (intptr_t)call_count(CALL_READ), 0);
    expect_int("read", read(fds[0], &byte, 1), -1);
    expect_int("errno", errno, EIO);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

/* The n-th allocation, one kind after the other; true: there was memory. */
static bool allocate(int n)
{
    void *block = NULL;

    switch (n) {
    case 0:
        block = malloc(8);
        break;
    case 1:
        block = calloc(2, 8);
        break;
    case 2:
        block = realloc(NULL, 8);
        break;
    case 3:
        block = strdup("text");
        break;
    case 4:
        block = aligned_alloc(64, 64);
        break;
    default:
        block = posix_memalign(&block, 64, 64) == 0 ? block : NULL;
        break;
    }
    free(block);
    return block != NULL;
}

LAB_TEST(fails_allocations)
{
    int failing;
    int n;

    for (failing = 0; failing < 6; failing++) {
        fail_allocation((unsigned long)failing + 1);
        for (n = 0; n < 6; n++) {
            step("allocation %d, and %d fails", n, failing);
            expect_int("it succeeds", allocate(n), n != failing);
        }
        expect_int("allocations", (intptr_t)allocation_count(), 6);
    }
}

LAB_TEST(counts_blocks)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    void *blocks[1000];
    void *larger;
    int i;

    expect_int("blocks of libc", (intptr_t)live_blocks(), 0);
    for (i = 0; i < 1000; i++) {
        blocks[i] = malloc(1);
    }
    larger = realloc(blocks[0], 100000);
    *(volatile char *)larger = 1; /* or a compiler does without it */
    expect_int("blocks", (intptr_t)live_blocks(), 1000);
    for (i = 1; i < 1000; i++) {
        free(blocks[i]);
    }
    expect_int("blocks", (intptr_t)live_blocks(), 1);
    expect_between("bytes", (int64_t)live_bytes(), 100000, 110000);
    free(larger);
    expect_int("bytes", (intptr_t)live_bytes(), 0);
    (void)fclose(file);
    free(text);
    expect_int("blocks", (intptr_t)live_blocks(), 0);
}

LAB_TEST(counts_descriptors)
{
    int before = open_descriptors();
    int fd = eventfd(0, 0);

    expect_int("descriptors", open_descriptors(), before + 1);
    (void)close(fd);
    expect_int("descriptors", open_descriptors(), before);
}

LAB_TEST(waits_on_virtual_time)
{
    struct virtual_clock v = {.time = 5};
    struct timespec short_time = {0, 1500001};
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(0);
    int ready = eventfd(1, 0);

    use_virtual_time(&v);
    expect_int("wait", epoll_wait(epoll, &event, 1, 3600 * 1000), 0);
    expect_time("the time", v.time, SECONDS(3600) + 5, SECONDS(3600) + 5);
    expect_int("wait", epoll_pwait2(epoll, &event, 1, &short_time, NULL), 0);
    expect_time("the time", v.time, SECONDS(3600) + 1500006, SECONDS(3600) + 1500006);
    expect_int("time-out 0", epoll_timeout(0), 3600 * 1000);
    expect_int("time-out 1", epoll_timeout(1), 2);
    expect_int("sleeps", (intptr_t)v.sleeps, 2);
    step("with something ready, no time passes");
    event.events = EPOLLIN;
    expect_int("add", epoll_ctl(epoll, EPOLL_CTL_ADD, ready, &event), 0);
    expect_int("wait", epoll_pwait(epoll, &event, 1, -1, NULL), 1);
    expect_time("the time", v.time, SECONDS(3600) + 1500006, SECONDS(3600) + 1500006);
    (void)close(ready);
    (void)close(epoll);
}

LAB_TEST(blocks_for_ever)
{
    struct virtual_clock v = {.time = 0};
    struct epoll_event event;
    int epoll = epoll_create1(0);

    use_virtual_time(&v);
    step("wait for nothing");
    (void)epoll_wait(epoll, &event, 1, -1);
}

LAB_TEST(spins)
{
    struct virtual_clock v = {.time = 0};
    struct epoll_event event;
    int epoll = epoll_create1(0);

    use_virtual_time(&v);
    for (;;) {
        (void)epoll_wait(epoll, &event, 1, 0);
    }
}

/* Its frame cannot be given up before the call, for it is read after it. */
static int depth(volatile int *n)
{
    volatile char room[512] = {1};
    int below = (*n)-- == 0 ? 0 : depth(n);

    return below + room[0];
}

static void recurse(void *argument)
{
    (void)depth(argument);
}

LAB_TEST(overflows_small_stack)
{
    volatile int n = 5000;

    run_on_small_stack(recurse, (void *)(uintptr_t)&n);
}
