// io.cpp - the event loop of C: sockets, and the stop from another thread.
#include "cpp_test.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using corolab::EventLoop;
using corolab::Task;
using test::counted;
using test::expect;
using test::expect_true;

struct listener {
    sockaddr_in at = {};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    listener()
    {
        socklen_t size = sizeof at;

        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        expect(bind(fd, address(), size), 0, "bind");
        expect(listen(fd, 16), 0, "listen");
        expect(getsockname(fd, address(), &size), 0, "getsockname");
    }
    sockaddr *address()
    {
        return reinterpret_cast<sockaddr *>(&at);
    }
};

static Task<> echo(EventLoop &loop, int fd)
{
    char bytes[16];

    for (;;) {
        const intptr_t n = co_await loop.read(fd, bytes, sizeof bytes);

        if (n <= 0) {
            break;
        }
        co_await loop.write(fd, bytes, static_cast<std::size_t>(n));
    }
    loop.close(fd);
}

static Task<> accept_all(EventLoop &loop, int listening, int &stopped_with)
{
    intptr_t fd;

    while ((fd = co_await loop.accept(listening)) >= 0) {
        loop.spawn(echo(loop, static_cast<int>(fd)));
    }
    stopped_with = static_cast<int>(fd);
}

static std::string answer_to_hello(listener &at)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    std::string answer;
    char bytes[16];
    ssize_t n;

    expect(connect(fd, at.address(), sizeof at.at), 0, "connect");
    expect(write(fd, "hello", 5), 5, "write");
    (void)shutdown(fd, SHUT_WR);
    while ((n = read(fd, bytes, sizeof bytes)) > 0) {
        answer.append(bytes, static_cast<std::size_t>(n));
    }
    (void)close(fd);
    return answer;
}

TEST(a_client_gets_hello_back_and_another_thread_stops_the_idle_loop)
{
    listener at;
    int stopped_with = 0;
    EventLoop loop;

    loop.spawn(accept_all(loop, at.fd, stopped_with));
    std::string answer;
    std::thread client{[&] {
        answer = answer_to_hello(at);
        loop.stop();
    }};
    expect(loop.run(), 0, "run");
    client.join();
    expect(answer, "hello", "answer");
    loop.close(at.fd);
    expect(loop.run(), 0, "waiting for ever");
    expect(stopped_with, -ECANCELED, "what accept gives when its listener is closed");
}

static Task<std::string> client(EventLoop &loop, listener &at, int number)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const std::string sent = "client " + std::to_string(number);
    std::string received;
    char bytes[16];

    if (co_await loop.connect(fd, at.address(), sizeof at.at) != 0) {
        co_return "cannot connect";
    }
    co_await loop.write(fd, sent.data(), sent.size());
    while (received.size() < sent.size()) {
        const intptr_t n = co_await loop.read(fd, bytes, sizeof bytes);

        if (n <= 0) {
            break;
        }
        received.append(bytes, static_cast<std::size_t>(n));
    }
    loop.close(fd);
    co_return received;
}

static Task<std::string> many_clients(EventLoop &loop, listener &at)
{
    std::vector<Task<std::string>> clients;
    std::string all;

    for (int number = 0; number < 5; number++) {
        clients.push_back(client(loop, at, number));
        loop.start(clients.back());
    }
    for (auto &one : clients) {
        all += co_await std::move(one) + ", ";
    }
    loop.close(at.fd);
    co_return all;
}

TEST(clients_and_server_on_one_loop)
{
    listener at;
    int stopped_with = 0;
    EventLoop loop;

    loop.spawn(accept_all(loop, at.fd, stopped_with));
    expect(loop.block_on(many_clients(loop, at)),
           "client 0, client 1, client 2, client 3, client 4, ", "received");
    expect(loop.run(), 0, "waiting for ever");
}

static Task<> reads_for_ever(EventLoop &loop, int fd)
{
    const counted local;
    char byte;

    (void)co_await loop.read(fd, &byte, 1);
    loop.close(fd);
}

static Task<> stops(EventLoop &loop)
{
    loop.stop();
    co_return;
}

TEST(a_loop_takes_along_who_waits)
{
    int pair[2];

    expect(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0, "socketpair");
    {
        EventLoop loop;

        loop.spawn(reads_for_ever(loop, pair[0]));
        loop.spawn(stops(loop));
        expect(loop.run(), 0, "run, until it is stopped");
        expect(counted::alive, 1, "alive");
    }
    expect(counted::alive, 0, "alive after the loop");
    (void)close(pair[0]);
    (void)close(pair[1]);
}

static Task<intptr_t> reads_one(EventLoop &loop, int fd)
{
    char byte;

    co_return co_await loop.read(fd, &byte, 1);
}

TEST(io_gives_errors_as_values)
{
    EventLoop loop;

    expect(loop.block_on(reads_one(loop, -1)), -EBADF, "read");
}
