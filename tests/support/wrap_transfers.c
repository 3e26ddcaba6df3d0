/* wrap_transfers.c - linker wraps of the calls that move bytes: counted, made to fail, made short. */
#include "harness.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PIECES = 64 }; /* of a gathering or scattering call that is cut */

ssize_t __real_read(int fd, void *buffer, size_t length);
ssize_t __real_recv(int fd, void *buffer, size_t length, int flags);
ssize_t __real_recvfrom(int fd, void *buffer, size_t length, int flags, struct sockaddr *address,
                        socklen_t *size);
ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __real_readv(int fd, const struct iovec *pieces, int count);
ssize_t __real_write(int fd, const void *buffer, size_t length);
ssize_t __real_send(int fd, const void *buffer, size_t length, int flags);
ssize_t __real_sendto(int fd, const void *buffer, size_t length, int flags,
                      const struct sockaddr *address, socklen_t size);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __real_writev(int fd, const struct iovec *pieces, int count);

ssize_t __wrap_read(int fd, void *buffer, size_t length);
ssize_t __wrap_recv(int fd, void *buffer, size_t length, int flags);
ssize_t __wrap_recvfrom(int fd, void *buffer, size_t length, int flags, struct sockaddr *address,
                        socklen_t *size);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_readv(int fd, const struct iovec *pieces, int count);
ssize_t __wrap_write(int fd, const void *buffer, size_t length);
ssize_t __wrap_send(int fd, const void *buffer, size_t length, int flags);
ssize_t __wrap_sendto(int fd, const void *buffer, size_t length, int flags,
                      const struct sockaddr *address, socklen_t size);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_writev(int fd, const struct iovec *pieces, int count);

/* What compilers with _FORTIFY_SOURCE call instead; `room` is the size of the buffer. */
ssize_t __wrap___read_chk(int fd, void *buffer, size_t length, size_t room);
ssize_t __wrap___recv_chk(int fd, void *buffer, size_t length, size_t room, int flags);
ssize_t __wrap___recvfrom_chk(int fd, void *buffer, size_t length, size_t room, int flags,
                              struct sockaddr *address, socklen_t *size);

/* Copies the first pieces, up to the limit of `call`, to `cut`. Returns how many. */
static int cut_pieces(enum lab_call call, struct iovec *cut, const struct iovec *pieces, int count)
{
    size_t room = call_limit(call, SIZE_MAX);
    int n = 0;

    while (n < count && n < PIECES && room > 0) {
        cut[n] = pieces[n];
        if (cut[n].iov_len > room) {
            cut[n].iov_len = room;
        }
        room -= cut[n].iov_len;
        n++;
    }
    return n;
}

/* ---- In ------------------------------------------------------------------------------------------- */

ssize_t __wrap_read(int fd, void *buffer, size_t length)
{
    return call_fails(CALL_READ) ? -1 : __real_read(fd, buffer, call_limit(CALL_READ, length));
}

ssize_t __wrap_recv(int fd, void *buffer, size_t length, int flags)
{
    return call_fails(CALL_READ) ? -1
                                 : __real_recv(fd, buffer, call_limit(CALL_READ, length), flags);
}

ssize_t __wrap_recvfrom(int fd, void *buffer, size_t length, int flags, struct sockaddr *address,
                        socklen_t *size)
{
    return call_fails(CALL_READ)
               ? -1
               : __real_recvfrom(fd, buffer, call_limit(CALL_READ, length), flags, address, size);
}

ssize_t __wrap_readv(int fd, const struct iovec *pieces, int count)
{
    struct iovec cut[PIECES];

    return call_fails(CALL_READ) ? -1
                                 : __real_readv(fd, cut, cut_pieces(CALL_READ, cut, pieces, count));
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
    struct iovec cut[PIECES];
    struct iovec *pieces = message->msg_iov;
    size_t count = message->msg_iovlen;
    ssize_t length;

    if (call_fails(CALL_READ)) {
        return -1;
    }
    message->msg_iovlen = (size_t)cut_pieces(CALL_READ, cut, pieces, (int)count);
    message->msg_iov = cut;
    length = __real_recvmsg(fd, message, flags);
    message->msg_iov = pieces;
    message->msg_iovlen = count;
    return length;
}

ssize_t __wrap___read_chk(int fd, void *buffer, size_t length, size_t room)
{
    if (length > room) {
        fail_test("read of %zu bytes into a buffer of %zu", length, room);
    }
    return __wrap_read(fd, buffer, length);
}

ssize_t __wrap___recv_chk(int fd, void *buffer, size_t length, size_t room, int flags)
{
    if (length > room) {
        fail_test("recv of %zu bytes into a buffer of %zu", length, room);
    }
    return __wrap_recv(fd, buffer, length, flags);
}

ssize_t __wrap___recvfrom_chk(int fd, void *buffer, size_t length, size_t room, int flags,
                              struct sockaddr *address, socklen_t *size)
{
    if (length > room) {
        fail_test("recvfrom of %zu bytes into a buffer of %zu", length, room);
    }
    return __wrap_recvfrom(fd, buffer, length, flags, address, size);
}

/* ---- Out ------------------------------------------------------------------------------------------ */

ssize_t __wrap_write(int fd, const void *buffer, size_t length)
{
    return call_fails(CALL_WRITE) ? -1 : __real_write(fd, buffer, call_limit(CALL_WRITE, length));
}

ssize_t __wrap_send(int fd, const void *buffer, size_t length, int flags)
{
    return call_fails(CALL_WRITE) ? -1
                                  : __real_send(fd, buffer, call_limit(CALL_WRITE, length), flags);
}

ssize_t __wrap_sendto(int fd, const void *buffer, size_t length, int flags,
                      const struct sockaddr *address, socklen_t size)
{
    return call_fails(CALL_WRITE)
               ? -1
               : __real_sendto(fd, buffer, call_limit(CALL_WRITE, length), flags, address, size);
}

ssize_t __wrap_writev(int fd, const struct iovec *pieces, int count)
{
    struct iovec cut[PIECES];

    return call_fails(CALL_WRITE)
               ? -1
               : __real_writev(fd, cut, cut_pieces(CALL_WRITE, cut, pieces, count));
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct iovec cut[PIECES];
    struct msghdr shorter = *message;

    if (call_fails(CALL_WRITE)) {
        return -1;
    }
    shorter.msg_iov = cut;
    shorter.msg_iovlen =
        (size_t)cut_pieces(CALL_WRITE, cut, message->msg_iov, (int)message->msg_iovlen);
    return __real_sendmsg(fd, &shorter, flags);
}
