/* server_lab.h - what the cases of milestone 5 start from: an echo server on a loop on virtual
 * time.
 *
 * Test and server take turns on one thread: the test uses plain sockets that do not block, and lets
 * time pass; in that time the server does all that it can.
 */
#ifndef SERVER_LAB_H
#define SERVER_LAB_H

#include "echo_server.h"

struct server_lab {
    virtual_clock v; /* starts at 0 */
    scheduler *s;
    timers *t;
    event_loop *loop;
    echo_server *server; /* NULL until start_server */
    int descriptors;     /* open before all that */
};

/* Makes all but the server. */
void open_server_lab(struct server_lab *lab);
/* The same on real time. */
void open_real_server_lab(struct server_lab *lab);

/* Starts the server on a free port; it must start. Then the options that it was given are
 * overwritten: they are the caller's. */
void start_server(struct server_lab *lab, const echo_server_options *options);

/* Destroys it all, whatever the server is doing. No descriptor may be left: close the clients
 * before. */
void close_server_lab(struct server_lab *lab);

/* Runs the loop while virtual time passes. */
void let_pass(struct server_lab *lab, int64_t duration);

/* Runs the loop until nothing is left to do; the server must have been stopped. */
void run_out(struct server_lab *lab);

/* Adds a coroutine that waits until the server has drained; its value goes to *value, the time to
 * *at. */
void await_drained(struct server_lab *lab, intptr_t *value, int64_t *at);

/* run_out; the server has drained then, at *at, and nobody slept on after that. */
void run_out_drained(struct server_lab *lab, const int64_t *at);

#endif
