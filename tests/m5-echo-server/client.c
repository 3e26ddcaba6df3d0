/* client.c - clients of the server: plain sockets, on the test's side of the thread. */
#include "client.h"

#include "lab_test.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE = 3000,          /* rounds that a client waits for something */
    STABLE = 60,              /* rounds after which a full socket is taken to stay full */
    SMALL = 4096,             /* a socket's buffer */
    MOST = 128 * 1024 * 1024, /* more than the kernel takes */
    PERIOD = 1000003,         /* of the pattern */
};

/* Virtual time that the server gets while a client waits; in real time a millisecond, at most. */
static void wait_a_little(struct server_lab *lab, int round)
{
    const struct timespec pause = {0, 1000 * 1000};

    if (round > 2) { /* the kernel delivers at once, nearly always */
        (void)nanosleep(&pause, NULL);
    }
    watch_calls(true);
    let_pass(lab, MILLISECONDS(1));
    watch_calls(false);
}

static int open_client(struct server_lab *lab, int buffer)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const int on = 1;
    int fd;

    watch_calls(false);
    address.sin_port = htons(echo_server_port(lab->server));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        (buffer > 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer) != 0)) {
        fail_test("the test could not open a socket: %s", strerror(errno));
    }
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fail_test("a client could not connect: %s", strerror(errno));
    }
    watch_calls(true);
    return fd;
}

int connect_client(struct server_lab *lab)
{
    return open_client(lab, 0);
}

int connect_small_client(struct server_lab *lab)
{
    return open_client(lab, SMALL);
}

void close_client(int fd)
{
    watch_calls(false);
    (void)close(fd);
    watch_calls(true);
}

void reset_client(int fd)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close_client(fd);
}

void send_bytes(int fd, const void *bytes, size_t length)
{
    watch_calls(false);
    expect_int("bytes that a client has sent", send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL),
               (intptr_t)length);
    watch_calls(true);
}

void send_text(int fd, const char *text)
{
    send_bytes(fd, text, strlen(text));
}

void end_sending(int fd)
{
    expect_int("shutdown(client, SHUT_WR)", shutdown(fd, SHUT_WR), 0);
}

ssize_t receive(struct server_lab *lab, int fd, char *bytes, size_t length)
{
    ssize_t n = -EAGAIN;

    watch_calls(false);
    for (int round = 0; n == -EAGAIN && round < PATIENCE; round++) {
        wait_a_little(lab, round);
        n = recv(fd, bytes, length, MSG_DONTWAIT);
        n = n < 0 ? -errno : n;
    }
    watch_calls(true);
    return n;
}

/* What came instead of bytes. */
static const char *ending(ssize_t n)
{
    return n == 0 ? "the end of the stream" : n == -EAGAIN ? "no more" : strerror((int)-n);
}

_Noreturn static void fail_waiting(size_t length, size_t got, ssize_t n)
{
    fail_test("the client waits for %zu bytes, and after %zu gets %s", length, got, ending(n));
}

void expect_back(struct server_lab *lab, int fd, const void *bytes, size_t length)
{
    char back[512];
    size_t got = 0;

    while (got < length) {
        ssize_t n = receive(lab, fd, back + got, sizeof back - got);

        if (n <= 0) {
            fail_waiting(length, got, n);
        }
        got += (size_t)n;
    }
    expect_bytes("the echo", back, got, bytes, length);
}

void expect_echo(struct server_lab *lab, int fd, const char *text)
{
    expect_back(lab, fd, text, strlen(text));
}

void expect_end(struct server_lab *lab, int fd)
{
    char byte;

    expect_int("what the client reads: the end of the stream", receive(lab, fd, &byte, 1), 0);
}

void expect_nothing_yet(int fd)
{
    char byte;
    ssize_t n;

    watch_calls(false);
    n = recv(fd, &byte, 1, MSG_DONTWAIT);
    if (n >= 0 || errno != EAGAIN) {
        fail_test("the client should read nothing so far, but it gets %s",
                  n > 0 ? "a byte" : ending(n < 0 ? -errno : 0));
    }
    watch_calls(true);
}

void fill_pattern(char *bytes, size_t length, unsigned seed)
{
    uint32_t x = seed * 2654435761u + 1;

    for (size_t i = 0; i < length; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (char)(x >> 24);
    }
}

/* A pattern of any length repeats itself, after a number of bytes that is no round one. */
static char pattern[PERIOD];

/* How many of the bytes from `done` to `length` lie in one piece in `pattern`, at done % PERIOD. */
static size_t piece_at(size_t done, size_t length)
{
    size_t rest = PERIOD - done % PERIOD;

    return length - done < rest ? length - done : rest;
}

/* Sends a piece of the pattern; returns how much went. */
static size_t send_piece(int fd, size_t done, size_t length)
{
    ssize_t n =
        send(fd, pattern + done % PERIOD, piece_at(done, length), MSG_DONTWAIT | MSG_NOSIGNAL);

    return n > 0 ? (size_t)n : 0;
}

size_t send_until_stuck(struct server_lab *lab, int fd, unsigned seed)
{
    size_t sent = 0;

    fill_pattern(pattern, PERIOD, seed);
    watch_calls(false);
    for (int idle = 0; idle < STABLE; idle++) { /* a full socket takes more a moment later */
        size_t n = send_piece(fd, sent, MOST);

        sent += n;
        idle = n > 0 ? 0 : idle;
        if (sent == MOST) {
            fail_test("the server takes %d MiB from a client that reads nothing", MOST >> 20);
        }
        wait_a_little(lab, idle);
    }
    watch_calls(true);
    return sent;
}

void expect_pattern(struct server_lab *lab, int fd, size_t done, size_t length, unsigned seed)
{
    static char bytes[64 * 1024];

    fill_pattern(pattern, PERIOD, seed);
    while (done < length) {
        size_t piece = piece_at(done, length);
        ssize_t n = receive(lab, fd, bytes, piece < sizeof bytes ? piece : sizeof bytes);

        if (n <= 0) {
            fail_waiting(length, done, n);
        }
        expect_bytes("the echo", bytes, (size_t)n, pattern + done % PERIOD, (size_t)n);
        done += (size_t)n;
    }
}

/* Reads back what is there of the pattern, from byte `got` on; returns how much. */
static size_t take_echo(int fd, size_t got, size_t sent)
{
    char bytes[16 * 1024];
    size_t piece = piece_at(got, sent);
    ssize_t n = recv(fd, bytes, piece < sizeof bytes ? piece : sizeof bytes, MSG_DONTWAIT);

    if (n == 0 && piece > 0) {
        fail_test("the server closes, after %zu bytes of %zu", got, sent);
    }
    if (n > 0) {
        expect_bytes("the echo", bytes, (size_t)n, pattern + got % PERIOD, (size_t)n);
    }
    return n > 0 ? (size_t)n : 0;
}

void exchange(struct server_lab *lab, int fd, size_t length, unsigned seed)
{
    size_t sent = 0;
    size_t got = 0;

    fill_pattern(pattern, PERIOD, seed);
    watch_calls(false);
    while (sent < length) {
        size_t n;

        sent += send_piece(fd, sent, length);
        wait_a_little(lab, 0);
        while ((n = take_echo(fd, got, sent)) > 0) {
            got += n;
        }
    }
    watch_calls(true);
    expect_pattern(lab, fd, got, length, seed);
}
