/* sockets.h - descriptors for the scenes of milestone 4, and what their other ends do.
 *
 * None of the system calls in here is counted or disturbed.
 */
#ifndef SOCKETS_H
#define SOCKETS_H

#include "loop_lab.h"

/* A pair of connected AF_UNIX stream sockets with small buffers, whose capacity is repeatable. */
void open_pair(int pair[2]);
/* A pair over TCP on the loopback interface. */
void open_tcp_pair(int pair[2]);
void open_pipe(int ends[2]);
/* Closes both as descriptors of the loop; those that are -1 already are left out. */
void close_pair(struct loop_lab *lab, int pair[2]);

/* A TCP socket that listens on the loopback interface, on a port of the kernel's choice. */
int open_listener(int backlog);
/* Its address. */
struct sockaddr_in address_of(int socket);
/* Connects to it, or begins to if `block` is false. */
int connect_to(int listener, bool block);

/* Writes until nothing more goes in. The descriptor becomes non-blocking. Returns how much it was.
 */
size_t fill(int fd);
/* Reads until nothing more is there. Returns how much it was. */
size_t drain(int fd);

/* ---- For later(): what happens at the other end
 * -------------------------------------------------- */

struct speech {
    int fd;
    const char *text;
};

void say(struct loop_lab *lab, void *speech);
void close_end(struct loop_lab *lab, void *fd);    /* int *, which becomes -1 */
void reset_end(struct loop_lab *lab, void *fd);    /* the same with an RST, for TCP */
void drain_end(struct loop_lab *lab, void *fd);    /* int * */
void destroy_it(struct loop_lab *lab, void *slot); /* task **, which becomes NULL */
void stop_loop(struct loop_lab *lab, void *unused);

#endif
