/* Calls itself by bytes that are no text, while its helper has the name of the sandbox. */
#include "not_implemented.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener(void)
{
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sigset_t none;

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL); /* SIGTERM ends it */
    (void)bind(fd, (const struct sockaddr *)&any, sizeof any);
    (void)listen(fd, 1000);
    (void)getsockname(fd, (struct sockaddr *)&bound, &size);
    (void)printf("listening on 127.0.0.1:%d\n", ntohs(bound.sin_port));
    (void)fflush(stdout);
    return fd;
}

static void echo(int fd)
{
    static char data[65536];
    ssize_t got;

    while ((got = read(fd, data, sizeof data)) > 0) {
        (void)!write(fd, data, (size_t)got);
    }
    (void)close(fd);
}

static void attack(void)
{
    int name = open("/proc/self/comm", O_WRONLY);

    (void)!write(name, "\xff) R \xfe", 7);
    for (int fd = listener();;) {
        echo(accept(fd, NULL, NULL));
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
