/* wrap_descriptors.c - linker wraps of the calls that make, register and close descriptors. */
#include "harness.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

int __real_accept(int fd, struct sockaddr *address, socklen_t *size);
int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __real_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event);
int __real_close(int fd);
int __real_socket(int domain, int type, int protocol);
int __real_epoll_create(int size);
int __real_epoll_create1(int flags);
int __real_eventfd(unsigned initial, int flags);
int __real_timerfd_create(int clock, int flags);

int __wrap_accept(int fd, struct sockaddr *address, socklen_t *size);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event);
int __wrap_close(int fd);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_epoll_create(int size);
int __wrap_epoll_create1(int flags);
int __wrap_eventfd(unsigned initial, int flags);
int __wrap_timerfd_create(int clock, int flags);

int __wrap_accept(int fd, struct sockaddr *address, socklen_t *size)
{
    return call_fails(CALL_ACCEPT) ? -1 : __real_accept(fd, address, size);
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
    return call_fails(CALL_ACCEPT) ? -1 : __real_accept4(fd, address, size, flags);
}

int __wrap_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    return call_fails(CALL_EPOLL_CTL) ? -1 : __real_epoll_ctl(epoll, operation, fd, event);
}

/* As on Linux, the descriptor is gone even when close fails. */
int __wrap_close(int fd)
{
    bool fails = call_fails(CALL_CLOSE);
    int error = errno;
    int result = __real_close(fd);

    if (fails) {
        errno = error;
        return -1;
    }
    return result;
}

int __wrap_socket(int domain, int type, int protocol)
{
    return call_fails(CALL_NEW_FD) ? -1 : __real_socket(domain, type, protocol);
}

int __wrap_epoll_create(int size)
{
    return call_fails(CALL_NEW_FD) ? -1 : __real_epoll_create(size);
}

int __wrap_epoll_create1(int flags)
{
    return call_fails(CALL_NEW_FD) ? -1 : __real_epoll_create1(flags);
}

int __wrap_eventfd(unsigned initial, int flags)
{
    return call_fails(CALL_NEW_FD) ? -1 : __real_eventfd(initial, flags);
}

int __wrap_timerfd_create(int clock, int flags)
{
    return call_fails(CALL_NEW_FD) ? -1 : __real_timerfd_create(clock, flags);
}
