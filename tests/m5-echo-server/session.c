/* session.c - Step 2: one client, what it sends and what it gets back. */
#include "client.h"
#include "lab_test.h"

LAB_TEST(hello_comes_back)
{
    struct server_lab lab;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    fd = connect_client(&lab);
    step("a client says hello");
    send_text(fd, "hello");
    expect_echo(&lab, fd, "hello");
    step("it says nothing for a minute, then a longer and a shorter word");
    let_pass(&lab, SECONDS(60));
    send_text(fd, "abcdefghijklmnopqrstuvwxyz");
    expect_echo(&lab, fd, "abcdefghijklmnopqrstuvwxyz");
    send_text(fd, "!");
    expect_echo(&lab, fd, "!");
    let_pass(&lab, SECONDS(1));
    expect_nothing_yet(fd);
    expect_int("stats.bytes", (intptr_t)echo_server_get_stats(lab.server).bytes, 32);
    close_client(fd);
    close_server_lab(&lab);
}

static void all_values_and_portions(void)
{
    struct server_lab lab;
    char bytes[256];
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    fd = connect_client(&lab);
    step("a client sends all 256 values of a byte");
    for (int i = 0; i < 256; i++) {
        bytes[i] = (char)i;
    }
    send_bytes(fd, bytes, sizeof bytes);
    expect_back(&lab, fd, bytes, sizeof bytes);
    for (size_t length = 1; length < 200; length = length * 3 + 1) {
        step("it sends %zu bytes, one at a time", length);
        for (size_t i = 0; i < length; i++) {
            send_bytes(fd, bytes + i, 1);
        }
        expect_back(&lab, fd, bytes, length);
    }
    step("the kernel takes 7 bytes at a time from the server");
    limit_transfer(CALL_WRITE, 7);
    exchange(&lab, fd, 5000, 3);
    limit_transfer(CALL_WRITE, 0);
    close_client(fd);
    close_server_lab(&lab);
}

static void much_at_once(void)
{
    enum { MUCH = 1024 * 1024 };
    struct server_lab lab;
    size_t sent;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    fd = connect_client(&lab);
    step("a client sends 1 MiB and reads at the same time");
    exchange(&lab, fd, MUCH, 1);
    close_client(fd);

    step("a client with small buffers sends as much as it can before it reads; then it sends no "
         "more, "
         "and reads");
    fd = connect_small_client(&lab);
    sent = send_until_stuck(&lab, fd, 2);
    end_sending(fd);
    expect_pattern(&lab, fd, 0, sent, 2);
    expect_end(&lab, fd);
    close_client(fd);
    close_server_lab(&lab);
}

LAB_TEST(every_byte_comes_back)
{
    all_values_and_portions();
    much_at_once();
}

LAB_TEST(half_close_ends_the_session)
{
    struct server_lab lab;
    int descriptors;
    int fd;

    open_server_lab(&lab);
    start_server(&lab, &(echo_server_options){.port = 0});
    let_pass(&lab, MILLISECONDS(1));
    descriptors = open_descriptors();
    step("a client sends a word and its end together");
    fd = connect_client(&lab);
    send_text(fd, "last words");
    end_sending(fd);
    expect_echo(&lab, fd, "last words");
    expect_end(&lab, fd);
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, 0);
    expect_int("descriptors that the server has left open", open_descriptors() - 1, descriptors);
    close_client(fd);

    step("a client sends nothing but its end");
    fd = connect_client(&lab);
    end_sending(fd);
    expect_end(&lab, fd);
    expect_int("stats.active", (intptr_t)echo_server_get_stats(lab.server).active, 0);
    expect_int("stats.errors", (intptr_t)echo_server_get_stats(lab.server).errors, 0);
    close_client(fd);
    expect_int("descriptors that the server has left open", open_descriptors(), descriptors);
    close_server_lab(&lab);
}
