/* portions.c - Step 2: an operation moves as much as it can, and the next one the rest. */
#include "lab_test.h"
#include "sockets.h"
#include "transfers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void silent_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("a task reads a byte at a time; at 10 ms four come at once, and nothing more");
    spawn(lab, reader(lab, "R", pair[0], 1, 4));
    spawn(lab, later(lab, MILLISECONDS(10), say, &(struct speech){pair[1], "abcd"}));
    run_all(lab);
    expect_trace("R:a R:b R:c R:d");

    trace_clear();
    step("the same, but they are there before it reads");
    say(lab, &(struct speech){pair[1], "efgh"});
    spawn(lab, reader(lab, "R", pair[0], 1, 4));
    run_all(lab);
    expect_trace("R:e R:f R:g R:h");
    close_pair(lab, pair);
}

/* A read of a TCP socket ends before an urgent byte, though that is there. */
static void say_urgently(struct loop_lab *lab, void *fd)
{
    say(lab, &(struct speech){*(int *)fd, "ab"});
    watch_calls(false);
    expect_int("send(client, \"!\", 1, MSG_OOB)", send(*(int *)fd, "!", 1, MSG_OOB), 1);
    watch_calls(true);
}

static void urgent_scene(struct loop_lab *lab)
{
    const int on = 1;
    char bytes[64];
    int pair[2];

    open_tcp_pair(pair);
    step(
        "a task waits on a TCP socket that has SO_OOBINLINE; at 10 ms two bytes come and an urgent "
        "one, and nothing more");
    expect_int("setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, ...)",
               setsockopt(pair[0], SOL_SOCKET, SO_OOBINLINE, &on, sizeof on), 0);
    spawn(lab, awaiting(lab, "read", event_loop_read(lab->loop, pair[0], bytes, sizeof bytes)));
    spawn(lab, later(lab, MILLISECONDS(10), say_urgently, &pair[1]));
    run_all(lab);
    expect_trace("read:2@10");
    step("a task waits until there is something, another reads it");
    spawn(lab, awaiting(lab, "readable", event_loop_readable(lab->loop, pair[0])));
    run_all(lab);
    spawn(lab, reader(lab, "R", pair[0], 64, 1));
    run_all(lab);
    expect_trace("read:2@10 readable:0@10 R:!");
    close_pair(lab, pair);
}

LAB_TEST(one_event_many_reads)
{
    in_both_modes(silent_scene);
    in_both_modes(urgent_scene);
}

static void part_scene(struct loop_lab *lab)
{
    int pair[2];

    open_pair(pair);
    step("the kernel takes 3 bytes at a time of a write of 10, and gives 4 of a read of 64");
    limit_transfer(CALL_WRITE, 3);
    limit_transfer(CALL_READ, 4);
    spawn(lab, awaiting(lab, "write", event_loop_write(lab->loop, pair[0], "0123456789", 10)));
    run_all(lab);
    spawn(lab, writer(lab, "W", pair[0], "3456789"));
    spawn(lab, reader(lab, "R", pair[1], 64, 10));
    run_all(lab);
    expect_trace("write:3@0 W:done R:0123 R:4567 R:89");
    limit_transfer(CALL_WRITE, 0);
    limit_transfer(CALL_READ, 0);
    close_pair(lab, pair);
}

LAB_TEST(part_of_a_transfer_is_told)
{
    in_both_modes(part_scene);
}

enum { BULK = 256 * 1024 };

static void bulk_scene(struct loop_lab *lab)
{
    char *sent[2] = {malloc(BULK), malloc(BULK)};
    char *received[2] = {calloc(1, BULK), calloc(1, BULK)};
    int pair[2];

    open_pair(pair);
    step("%d bytes go through a small socket, each way at the same time", BULK);
    for (unsigned way = 0; way < 2; way++) {
        fill_pattern(sent[way], BULK, way);
        spawn(lab, bulk_writer(lab, pair[way], sent[way], BULK, 5000));
        spawn(lab, bulk_reader(lab, pair[1 - way], received[way], BULK, 3000));
    }
    run_all(lab);
    expect_bytes("what came through one way", received[0], BULK, sent[0], BULK);
    expect_bytes("what came through the other way", received[1], BULK, sent[1], BULK);
    close_pair(lab, pair);
    for (unsigned way = 0; way < 2; way++) {
        free(sent[way]);
        free(received[way]);
    }
}

LAB_TEST(much_data_go_both_ways)
{
    in_both_modes(bulk_scene);
}
