/* memory.c - Step 4: what connections cost, what they leave behind, and what if there is no memory.
 */
#include "client.h"
#include "lab_test.h"

#include <errno.h>
#include <malloc.h>

enum { CROWD = 100, BUFFER = 64 * 1024, FRAME = 2048 };

/* With a sanitizer its allocator is in place of libc's, and knows. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static int64_t allocated_bytes(void)
{
    struct mallinfo2 info;

    if (__sanitizer_get_current_allocated_bytes != NULL) {
        return (int64_t)__sanitizer_get_current_allocated_bytes();
    }
    info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

static void idle_clients(void)
{
    struct server_lab lab;
    int clients[CROWD];
    int64_t before;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    let_pass(&lab, MILLISECONDS(1));
    before = allocated_bytes();
    step("%d clients have had their echo, and are idle", CROWD);
    for (int i = 0; i < CROWD; i++) {
        clients[i] = connect_client(&lab);
    }
    for (int i = 0; i < CROWD; i++) {
        send_text(clients[i], "hello");
    }
    for (int i = 0; i < CROWD; i++) {
        expect_echo(&lab, clients[i], "hello");
    }
    expect_between("bytes of memory that they hold together", allocated_bytes() - before, 0,
                   CROWD * BUFFER / 5);
    for (int i = 0; i < CROWD; i++) {
        close_client(clients[i]);
    }
    close_server_lab(&lab);
}

/* Who has never spoken costs a frame, and his part of the tables. */
static void silent_clients(void)
{
    struct server_lab lab;
    int clients[CROWD];
    int64_t before;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    let_pass(&lab, MILLISECONDS(1));
    before = allocated_bytes();
    step("%d clients connect, and say nothing", CROWD);
    for (int i = 0; i < CROWD; i++) {
        clients[i] = connect_client(&lab);
        let_pass(&lab, MILLISECONDS(1));
    }
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, CROWD);
    expect_between("bytes of memory for each of them", (allocated_bytes() - before) / CROWD, 0,
                   FRAME);
    for (int i = 0; i < CROWD; i++) {
        close_client(clients[i]);
    }
    close_server_lab(&lab);
}

static void slow_clients(void)
{
    enum { SLOW = 5 };
    struct server_lab lab;
    int clients[SLOW];
    int64_t before;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    let_pass(&lab, MILLISECONDS(1));
    before = allocated_bytes();
    step("%d clients send as much as they can, and read nothing", SLOW);
    for (int i = 0; i < SLOW; i++) {
        clients[i] = connect_small_client(&lab);
        (void)send_until_stuck(&lab, clients[i], 1);
    }
    expect_between("bytes of memory that they hold together", allocated_bytes() - before, 0,
                   SLOW * (BUFFER + 8 * 1024) + BUFFER);
    for (int i = 0; i < SLOW; i++) {
        close_client(clients[i]);
    }
    close_server_lab(&lab);
}

/* All at once are in the middle of a transfer, and then none is. */
static void after_a_busy_time(void)
{
    enum { BUSY = 24 };
    struct server_lab lab;
    int clients[BUSY];
    int64_t before;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    for (int i = 0; i < BUSY; i++) {
        clients[i] = connect_client(&lab);
    }
    let_pass(&lab, MILLISECONDS(1));
    before = allocated_bytes();
    step("%d clients send a byte, and the kernel takes nothing from the server just now", BUSY);
    inject_error(CALL_WRITE, 1, 1, 10 * 1000, EAGAIN);
    for (int i = 0; i < BUSY; i++) {
        send_text(clients[i], "x");
    }
    let_pass(&lab, MILLISECONDS(1));
    step("then it does; all have their echo, and are idle");
    inject_error(CALL_WRITE, 1, 1, 0, 0);
    for (int i = 0; i < BUSY; i++) {
        send_text(clients[i], "y");
        expect_echo(&lab, clients[i], "xy");
    }
    expect_between("bytes of memory that they hold together", allocated_bytes() - before, INT64_MIN,
                   BUSY * BUFFER / 2);
    for (int i = 0; i < BUSY; i++) {
        close_client(clients[i]);
    }
    close_server_lab(&lab);
}

LAB_TEST(memory_is_bounded)
{
    silent_clients();
    idle_clients();
    slow_clients();
    after_a_busy_time();
}

/* `count` clients, one after the other, each of which ends in another way than the one before. */
static void pass_through(struct server_lab *lab, int count)
{
    for (int i = 0; i < count; i++) {
        int fd = connect_client(lab);

        send_text(fd, "hello");
        expect_echo(lab, fd, "hello");
        if (i % 3 == 0) {
            end_sending(fd);
            expect_end(lab, fd);
            close_client(fd);
        } else if (i % 3 == 1) {
            reset_client(fd);
        } else {
            inject_error(CALL_READ, 1, 1, 1, EIO);
            send_text(fd, "x");
            let_pass(lab, MILLISECONDS(1));
            close_client(fd);
        }
        let_pass(lab, MILLISECONDS(1));
    }
}

LAB_TEST(gone_clients_leave_nothing)
{
    struct server_lab lab;
    int descriptors;
    size_t blocks;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    pass_through(&lab, 60);
    descriptors = open_descriptors();
    blocks = live_blocks();
    step("300 clients more: of three, one ends, one resets, and reading from one fails");
    pass_through(&lab, 300);
    expect_int("descriptors open afterwards, against before", open_descriptors(), descriptors);
    expect_int("live blocks of memory afterwards, against before", (intptr_t)live_blocks(),
               (intptr_t)blocks);
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, 0);
    expect_int("stats.accepted", (intptr_t)echo_server_get_stats(lab.server).accepted, 360);
    close_server_lab(&lab);
}

/* True: the client was served, else cut off. */
static bool try_echo(struct server_lab *lab, int fd)
{
    char bytes[8];

    send_text(fd, "hello");
    return receive(lab, fd, bytes, sizeof bytes) == 5;
}

/* A server's life while allocation number n fails. Returns how many there were. */
static unsigned long live_without_memory(unsigned long n)
{
    struct server_lab lab;
    unsigned long allocations;
    int served = 0;
    int result;
    int clients[3];

    step("start a server, serve three clients, stop; allocation number %lu fails", n);
    open_server_lab(&lab);
    let_pass(&lab, MILLISECONDS(1)); /* the test's own needs are met before */
    fail_allocation(n);
    result = echo_server_start(&lab.server, lab.loop, &(echo_server_options){.port = 0});
    if (result != 0) {
        expect_int("echo_server_start(&server, loop, options)", result, -ENOMEM);
        allocations = allocation_count();
        fail_allocation(0);
        lab.server = NULL;
        close_server_lab(&lab);
        return allocations;
    }
    for (int i = 0; i < 3; i++) {
        clients[i] = connect_client(&lab);
        served += try_echo(&lab, clients[i]);
    }
    expect_between("clients served in spite of one failed allocation", served, 2, 3);
    echo_server_stop(lab.server);
    for (int i = 0; i < 3; i++) {
        close_client(clients[i]);
    }
    run_out(&lab);
    allocations = allocation_count();
    fail_allocation(0);
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, 0);
    close_server_lab(&lab);
    return allocations;
}

LAB_TEST(no_memory_costs_one_connection)
{
    unsigned long n = 1;

    while (n <= live_without_memory(n)) {
        n++;
    }
    expect_true("a server allocates", n > 1);
}
