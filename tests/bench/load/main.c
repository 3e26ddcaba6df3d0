/* main.c - the load: connections that talk to an echo server, and what that costs the server.
 *
 *     load echo  PORT PID CONNECTIONS WORKERS SIZE MILLISECONDS [PAUSE]
 *     load churn PORT PID CONNECTIONS WORKERS SIZE MILLISECONDS
 *     load count PORT PID CONNECTIONS WORKERS SIZE MESSAGES
 *     load idle  PORT PID CONNECTIONS
 *
 * echo: opens CONNECTIONS, then WORKERS send messages of SIZE bytes, each over its share of them in
 * turn, and pause so many milliseconds after each. churn: before each message a worker connects, and
 * closes after it. Both run a tenth of MILLISECONDS before what is measured. count: exactly so many
 * messages. idle: opens CONNECTIONS; the first of them, with which the server comes to its usual size,
 * are not measured.
 * PID is the server's process. Prints what was measured, as lines of `name number`. Ends with 1, and
 * says why, if a byte is wrong or a connection fails.
 */
#include "client.h"
#include "crowd.h"
#include "latency.h"
#include "moment.h"
#include "pattern.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CONNECTORS = 64, FIRST_CONNECTIONS = 200, MORE_SECONDS = 100 };

static struct load {
    scheduler *scheduler;
    timers *timers;
    event_loop *loop;
    struct sockaddr_in server;
    struct client *clients;
    bool churning, stopping;
    long connections, workers, size, milliseconds, pause;
    uint64_t messages, most; /* exchanged so far; and to be exchanged */
} load;

/* ---- Workers ------------------------------------------------------------- */

/* Connects its share, and exchanges a message over each: so that the server has accepted it. */
static void connector_body(co_handle frame)
{
    struct worker *self = (struct worker *)frame;

    CO_BEGIN(self);
    for (; self->next < self->end; self->next += self->step) {
        self->client = &load.clients[self->next];
        CO_AWAIT(self, self->n, task_await(client_connect(self->client)));
        CO_AWAIT(self, self->n, task_await(client_exchange(self->client)));
    }
    CO_END(self);
}

static struct client *next_client(struct worker *self)
{
    struct client *c = &load.clients[self->next];

    self->next += self->step;
    if (self->next >= self->end) {
        self->next %= self->step; /* where it began */
    }
    return c;
}

static void talker_body(co_handle frame)
{
    struct worker *self = (struct worker *)frame;

    CO_BEGIN(self);
    while (!load.stopping && load.messages < load.most) {
        self->client = next_client(self);
        self->began = monotonic_ns();
        if (load.churning) {
            CO_AWAIT(self, self->n, task_await(client_connect(self->client)));
        }
        CO_AWAIT(self, self->n, task_await(client_exchange(self->client)));
        if (load.churning) {
            client_close(self->client);
        }
        latency_note(monotonic_ns() - self->began);
        load.messages++;
        if (load.pause > 0) {
            CO_AWAIT(self, self->n, sleep_for(load.timers, MILLISECONDS(load.pause)));
        }
    }
    CO_END(self);
}

/* ---- From the beginning to the end --------------------------------------- */

struct conductor {
    task task;
    task *talkers;
    intptr_t n;
    struct moment begin, end;
    long resident_before, resident_after;
};

static task *connectors(long first, long end)
{
    return crowd(load.scheduler, connector_body, CONNECTORS, first, end);
}

static task *talkers(void)
{
    return crowd(load.scheduler, talker_body, load.workers, 0, load.connections);
}

static void idle_body(co_handle frame)
{
    struct conductor *self = (struct conductor *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, task_await(connectors(0, FIRST_CONNECTIONS)));
    self->resident_before = moment_resident();
    self->begin = moment_now(0);
    CO_AWAIT(self, self->n, task_await(connectors(FIRST_CONNECTIONS, load.connections)));
    CO_AWAIT(self, self->n, sleep_for(load.timers, MILLISECONDS(100)));
    self->end = moment_now((uint64_t)(load.connections - FIRST_CONNECTIONS));
    self->resident_after = moment_resident();
    CO_END(self);
}

static void count_body(co_handle frame)
{
    struct conductor *self = (struct conductor *)frame;

    CO_BEGIN(self);
    CO_AWAIT(self, self->n, task_await(connectors(0, load.connections)));
    self->begin = moment_now(0);
    CO_AWAIT(self, self->n, task_await(talkers()));
    self->end = moment_now(load.messages);
    CO_END(self);
}

static void talk_body(co_handle frame)
{
    struct conductor *self = (struct conductor *)frame;

    CO_BEGIN(self);
    if (!load.churning) {
        CO_AWAIT(self, self->n, task_await(connectors(0, load.connections)));
    }
    self->talkers = talkers();
    (void)scheduler_start(load.scheduler, self->talkers);
    CO_AWAIT(self, self->n, sleep_for(load.timers, MILLISECONDS(load.milliseconds) / 10));
    latency_clear();
    self->resident_before = moment_resident();
    self->begin = moment_now(load.messages);
    CO_AWAIT(self, self->n, sleep_for(load.timers, MILLISECONDS(load.milliseconds)));
    self->end = moment_now(load.messages);
    self->resident_after = moment_resident();
    load.stopping = true;
    CO_AWAIT(self, self->n, task_await(task_take(&self->talkers)));
    CO_END(self);
}

/* It is no memory of malloc. */
static void release_conductor(co_handle frame)
{
    (void)task_destroy(((struct conductor *)frame)->talkers);
}

/* 0, or the negative errno with which the first of the workers failed. */
static int run(void (*body)(co_handle))
{
    static struct conductor self; /* outlives this call if nobody could wake it any more */
    task *conductor = task_init(&self.task, "conductor", body, release_conductor);
    int result = scheduler_block_on(load.scheduler, conductor, NULL);

    if (result == 0) {
        moment_print(&self.begin, &self.end);
        (void)printf("resident %ld\n", self.resident_after - self.resident_before);
    }
    return result;
}

static int set_up(void)
{
    struct rlimit limit;

    (void)getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    load.scheduler = scheduler_create(SCHEDULER_FIFO);
    load.timers = timers_create(lab_clock_monotonic());
    load.loop = event_loop_create(load.scheduler, load.timers, 0);
    load.clients = calloc((size_t)load.connections, sizeof *load.clients);
    if (load.loop == NULL || load.clients == NULL || !pattern_init((size_t)load.size)) {
        return -ENOMEM;
    }
    for (long i = 0; i < load.connections; i++) {
        if (!client_init(&load.clients[i], load.loop, &load.server, (size_t)load.size,
                         (unsigned)i)) {
            return -ENOMEM;
        }
    }
    return 0;
}

static void take_down(void)
{
    (void)scheduler_destroy(load.scheduler);
    for (long i = 0; load.clients != NULL && i < load.connections; i++) {
        client_free(&load.clients[i]);
    }
    event_loop_destroy(load.loop);
    timers_destroy(load.timers);
    free(load.clients);
    pattern_free();
}

static long option(int argc, char **argv, int position, long otherwise)
{
    return position < argc ? strtol(argv[position], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 4 ? argv[1] : "";
    bool counts = strcmp(mode, "count") == 0;
    int result;

    if (*mode == '\0') {
        (void)fprintf(stderr, "usage: load echo|churn|count|idle PORT PID CONNECTIONS ...\n");
        return 2;
    }
    load.churning = strcmp(mode, "churn") == 0;
    load.server.sin_family = AF_INET;
    load.server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    load.server.sin_port = htons((uint16_t)option(argc, argv, 2, 0));
    load.connections = option(argc, argv, 4, 0);
    load.workers = option(argc, argv, 5, 1);
    load.size = option(argc, argv, 6, 64);
    load.milliseconds = counts ? 0 : option(argc, argv, 7, 0);
    load.most = counts ? (uint64_t)option(argc, argv, 7, 1) : UINT64_MAX;
    load.pause = option(argc, argv, 8, 0);
    (void)alarm(
        (unsigned)(load.milliseconds / 1000 + MORE_SECONDS)); /* it ends, whatever happens */
    result = moment_watch((pid_t)option(argc, argv, 3, 0));
    if (result == 0) {
        result = set_up();
    }
    if (result == 0) {
        result = run(strcmp(mode, "idle") == 0 ? idle_body : counts ? count_body : talk_body);
    }
    if (result != 0) {
        (void)fprintf(stderr, "load: %s\n", strerror(-result));
    }
    take_down();
    return result != 0;
}
