/* listening.h - the listening socket of an echo server in C, and the line with which it says where. */
#ifndef LISTENING_H
#define LISTENING_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { ECHO_BUFFER = 65536 }; /* of every server, ours as well */

/* Prints "listening on 127.0.0.1:PORT". */
static inline void tell_port(int listener)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;

    (void)getsockname(listener, (struct sockaddr *)&address, &size);
    (void)printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    (void)fflush(stdout);
}

/* Non-blocking, on a free port. Connections inherit TCP_NODELAY, which saves each a call. */
static inline int open_listener(void)
{
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, SOMAXCONN) != 0) {
        perror("listener");
        exit(2);
    }
    tell_port(fd);
    (void)signal(SIGPIPE, SIG_IGN);
    return fd;
}

#endif
