/* program.h - given: what the parts of the program echo-server share.
 *
 * command_line.c reads the options, main.c sets up a server on each thread and takes it down again,
 * stopping.c sees to it that all of them end. A thread has a scheduler, timers, a loop and a server
 * of its own; with another one it shares nothing but the descriptors below, by which they tell each
 * other to stop. The first thread is the program's own: with one there is no other.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "echo_server.h"

#include <pthread.h>

enum exit_code {
    EXIT_DRAINED = 0,   /* stopped, and every connection has ended by itself */
    EXIT_CUT = 1,       /* stopped, and some were cut */
    EXIT_NO_SERVER = 2, /* it could not start */
};

struct settings {
    echo_server_options server; /* max_connections: of all threads together */
    unsigned loop_options;
    unsigned threads; /* at least 1, at most max_connections, if that is not 0 */
    bool stats;
};

/* All that a thread has, set up in this order, and taken down in the other. */
struct server_thread {
    struct program *program;
    scheduler *scheduler;
    timers *timers;
    event_loop *loop;
    echo_server *server;
    int orders; /* the first thread writes, and this one reads: an eventfd; -1 for the first */

    bool drained;      /* its server has ended */
    intptr_t failures; /* connections cut; negative: the errno that ended accepting */
    int result;        /* of its loop */
    pthread_t id;      /* not of the first */
};

struct program {
    struct settings settings;
    struct server_thread *threads; /* so many as there are settings.threads */
    int signals;                   /* the first thread reads: a signalfd */
    int ends; /* the others write, when they have ended: an eventfd; -1 if there are none */

    /* Where the first one listens: a numeric address, at the longest one of IPv6 with a scope. */
    char host[64];

    /* The first thread's own. */
    unsigned running; /* servers that have not ended */
    bool aborted;     /* by a second signal */
};

/* An eventfd adds up what is written to it until it is read: however many STOPs are less than one
 * ABORT. */
enum order { STOP = 1, ABORT = 1 << 20 };

/* Ends the program, with a sentence, if it can't be what is meant. */
struct settings parse_options(int argc, char **argv);

/* Opens what a thread hears through that it is to stop: for the first one that is signals, which
 * are then blocked, here and in the threads that will be made here. 0, or a negative errno. */
int stopping_open(struct server_thread *t);

/* Spawns the coroutines that end a thread whose server is there. 0, or a negative errno. */
int stopping_spawn(struct server_thread *t);

/* When no thread runs any more. */
void stopping_close(struct program *p);

/* On the first thread: what the others are to do. */
void order_others(struct program *p, enum order order);

#endif
