// echo_server.cpp - many clients at once, each of them a coroutine; and a graceful stop: on SIGINT or SIGTERM
// the listener is closed, and those who are connected are served until they hang up.
//
//     echo_server [PORT]          0, the default: any free one
#include "corolab.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sys/signalfd.h>
#include <unistd.h>

using corolab::EventLoop;
using corolab::Task;

static Task<bool> write_all(EventLoop &loop, int fd, const char *bytes, intptr_t length)
{
    for (intptr_t done = 0; done < length;) {
        const intptr_t n =
            co_await loop.write(fd, bytes + done, static_cast<std::size_t>(length - done));

        if (n < 0) {
            co_return false;
        }
        done += n;
    }
    co_return true;
}

static Task<> serve(EventLoop &loop, int fd)
{
    char bytes[4096];
    bool alive = true;

    while (alive) {
        const intptr_t n = co_await loop.read(fd, bytes, sizeof bytes);

        alive = n > 0;
        if (alive) {
            alive = co_await write_all(loop, fd, bytes, n);
        }
    }
    loop.close(fd);
}

// `stopping`: the listener is closed, and its number may be somebody else's. An accept that waits is told; one
// that has just been given a connection is not.
static Task<> accept_all(EventLoop &loop, int listener, const bool &stopping)
{
    while (!stopping) {
        const intptr_t fd = co_await loop.accept(listener);

        if (fd >= 0) {
            loop.spawn(serve(loop, static_cast<int>(fd)));
        } else if (!stopping) { // no descriptors left, say: let the others end
            co_await corolab::sleep_for(std::chrono::milliseconds{10});
        }
    }
}

static Task<> stop_on_signal(EventLoop &loop, int signals, int listener, bool &stopping)
{
    signalfd_siginfo info;

    co_await loop.read(signals, &info, sizeof info);
    stopping = true;
    loop.close(signals);
    loop.close(listener);
}

static int listen_on(int port)
{
    sockaddr_in at = {};
    socklen_t size = sizeof at;
    const int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, reinterpret_cast<sockaddr *>(&at), size) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, reinterpret_cast<sockaddr *>(&at), &size) != 0) {
        throw std::system_error(errno, std::generic_category(), "listen");
    }
    std::cout << "listening on 127.0.0.1:" << ntohs(at.sin_port) << std::endl;
    return fd;
}

int main(int argc, char **argv)
{
    EventLoop loop;
    bool stopping = false;
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, nullptr);

    const int listener = listen_on(argc > 1 ? std::atoi(argv[1]) : 0);
    const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    loop.spawn(stop_on_signal(loop, signal_fd, listener, stopping));
    loop.spawn(accept_all(loop, listener, stopping));
    return loop.run() == 0 ? 0 : 1;
}
