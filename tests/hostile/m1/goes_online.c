/* Sends something to somebody. If that works, it crashes. */
#include "not_implemented.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void attack(void)
{
    const struct sockaddr_in somebody = {
        .sin_family = AF_INET, .sin_port = htons(53), .sin_addr = {htonl(0x08080808)}};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (sendto(fd, "", 1, 0, (const struct sockaddr *)&somebody, sizeof somebody) >= 0) {
        abort();
    }
    (void)close(fd);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (const struct sockaddr *)&somebody, sizeof somebody) == 0) {
        abort();
    }
}

#undef not_implemented
#define not_implemented() (attack(), not_implemented_here(__func__, __FILE__, __LINE__))

/* (the stub) */
