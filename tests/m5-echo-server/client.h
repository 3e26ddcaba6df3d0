/* client.h - clients of the server: plain sockets, on the test's side of the thread.
 *
 * Their system calls are neither counted nor disturbed.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "server_lab.h"

/* A connected socket that does not block. The kernel connects it; the server need not have
 * accepted. */
int connect_client(struct server_lab *lab);
/* The same with a small buffer for what comes back, so that little is under way when nobody reads.
 */
int connect_small_client(struct server_lab *lab);
void close_client(int fd);
void reset_client(int fd);

/* Sends it all; it must fit into the socket's buffer. */
void send_bytes(int fd, const void *bytes, size_t length);
void send_text(int fd, const char *text);
/* No more comes from this client. */
void end_sending(int fd);
/* Sends bytes that depend on `seed`, and reads nothing, until nothing more goes: the server cannot
 * get rid of what it has read. Returns how much was sent. */
size_t send_until_stuck(struct server_lab *lab, int fd, unsigned seed);

/* What has arrived, up to `length`; waits for it, while the server runs, but not for ever. Returns
 * how much; 0 at the end of the stream, or a negative errno. */
ssize_t receive(struct server_lab *lab, int fd, char *bytes, size_t length);
/* The server's echo must be that (512 bytes at most), ... */
void expect_back(struct server_lab *lab, int fd, const void *bytes, size_t length);
void expect_echo(struct server_lab *lab, int fd, const char *text);
/* ... the end of the stream, ... */
void expect_end(struct server_lab *lab, int fd);
/* ... or nothing so far. */
void expect_nothing_yet(int fd);

/* Sends `length` bytes that depend on `seed`, and reads them back at the same time. */
void exchange(struct server_lab *lab, int fd, size_t length, unsigned seed);
/* Reads back what was sent with that seed: bytes `done` to `length`. */
void expect_pattern(struct server_lab *lab, int fd, size_t done, size_t length, unsigned seed);
void fill_pattern(char *bytes, size_t length, unsigned seed);

#endif
