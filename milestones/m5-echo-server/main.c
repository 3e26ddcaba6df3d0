/* main.c - given: the program echo-server, from its start to its end. docs/protocol.md says what it
 * promises. All that can fail but the threads themselves is set up before there are any. */
#include "program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* ---- Setting up, and taking down ----------------------------------------- */

static int set_up_loop(struct server_thread *t, unsigned options)
{
    t->scheduler = scheduler_create(SCHEDULER_FIFO);
    t->timers = timers_create(lab_clock_monotonic());
    if (t->scheduler == NULL || t->timers == NULL) {
        return -ENOMEM;
    }
    t->loop = event_loop_create(t->scheduler, t->timers, options);
    return t->loop != NULL ? 0 : -errno;
}

/* What is left over when all have the same goes to the first ones. */
static unsigned share_of(unsigned number, unsigned total, unsigned threads)
{
    return total / threads + (number < total % threads ? 1 : 0);
}

static int start_server(struct server_thread *t, unsigned number)
{
    const struct settings *settings = &t->program->settings;
    echo_server_options options = settings->server;

    options.max_connections = share_of(number, options.max_connections, settings->threads);
    if (settings->threads > 1) {
        options.sharing = number == 0 ? ECHO_SERVER_FIRST : ECHO_SERVER_JOINS;
    }
    return echo_server_start(&t->server, t->loop, &options);
}

static int set_up_thread(struct program *p, unsigned number)
{
    struct server_thread *t = &p->threads[number];
    int result = set_up_loop(t, p->settings.loop_options);

    if (result == 0) {
        result = stopping_open(t);
    }
    if (result == 0) {
        result = start_server(t, number);
    }
    return result == 0 ? stopping_spawn(t) : result;
}

/* The others are to listen just where the first one does. Port 0 means another one each time, and a
 * name may do so, too. */
static void stay_there(struct program *p)
{
    const char *address = echo_server_address(p->threads[0].server);
    bool is_v6 = address[0] == '[';

    address += is_v6 ? 1 : 0;
    (void)snprintf(p->host, sizeof p->host, "%.*s", (int)strcspn(address, is_v6 ? "]" : ":"),
                   address);
    p->settings.server.host = p->host;
    p->settings.server.port = echo_server_port(p->threads[0].server);
}

static int set_up(struct program *p)
{
    unsigned threads = p->settings.threads;
    int result;

    for (unsigned i = 0; i < threads; i++) {
        p->threads[i].program = p;
        p->threads[i].orders = -1;
    }
    result = set_up_thread(p, 0);
    if (result == 0 && threads > 1) {
        stay_there(p);
    }
    for (unsigned i = 1; result == 0 && i < threads; i++) {
        result = set_up_thread(p, i);
    }
    p->running = threads;
    return result;
}

static void take_down(struct program *p)
{
    for (unsigned i = 0; i < p->settings.threads; i++) {
        struct server_thread *t = &p->threads[i];

        (void)scheduler_destroy(t->scheduler);
        echo_server_destroy(t->server);
        event_loop_destroy(t->loop);
        timers_destroy(t->timers);
    }
    stopping_close(p);
    free(p->threads);
}

/* ---- Running ------------------------------------------------------------- */

static void *run_thread(void *argument)
{
    struct server_thread *t = argument;

    t->result = event_loop_run(t->loop);
    (void)eventfd_write(t->program->ends, 1);
    return NULL;
}

/* Returns how many threads there are now, the first one among them. */
static unsigned start_others(struct program *p)
{
    for (unsigned i = 1; i < p->settings.threads; i++) {
        int error = pthread_create(&p->threads[i].id, NULL, run_thread, &p->threads[i]);

        if (error != 0) {
            (void)fprintf(stderr, "echo-server: cannot start thread %u of %u: %s\n", i + 1,
                          p->settings.threads, strerror(error));
            return i;
        }
    }
    return p->settings.threads;
}

/* They have ended already, unless something has gone wrong here: then nobody would stop them. */
static void end_others(struct program *p, unsigned threads)
{
    order_others(p, ABORT);
    for (unsigned i = 1; i < threads; i++) {
        (void)pthread_join(p->threads[i].id, NULL);
    }
}

static bool say_where(const struct program *p)
{
    if (printf("listening on %s\n", echo_server_address(p->threads[0].server)) < 0 ||
        fflush(stdout) != 0) {
        (void)fprintf(stderr, "echo-server: cannot write to standard output: %s\n",
                      strerror(errno));
        return false;
    }
    return true;
}

/* False: it could not begin. */
static bool serve(struct program *p)
{
    unsigned threads = start_others(p);
    bool begins = threads == p->settings.threads && say_where(p);

    if (begins) {
        p->threads[0].result = event_loop_run(p->threads[0].loop);
    }
    end_others(p, threads);
    return begins;
}

/* ---- What is said at the end --------------------------------------------- */

static void explain_failure(const struct settings *settings, int error)
{
    (void)fprintf(stderr, "echo-server: cannot listen on %s port %u: %s\n", settings->server.host,
                  (unsigned)settings->server.port,
                  error == -EINVAL ? "neither an address nor a known host" : strerror(-error));
}

static bool report(const struct server_thread *t)
{
    if (t->result != 0) {
        (void)fprintf(stderr, "echo-server: the event loop ended with %d\n", t->result);
        (void)scheduler_report(t->scheduler, stderr);
    }
    if (t->failures < 0) {
        (void)fprintf(stderr, "echo-server: cannot accept: %s\n", strerror((int)-t->failures));
    }
    return t->result == 0 && t->failures == 0;
}

static void add_stats(echo_server_stats *sum, echo_server_stats s)
{
    sum->accepted += s.accepted;
    sum->active += s.active;
    sum->bytes += s.bytes;
    sum->errors += s.errors;
    sum->timed_out += s.timed_out;
    sum->cut += s.cut;
    sum->pauses += s.pauses;
}

static void print_stats(echo_server_stats s)
{
    (void)fprintf(stderr,
                  "accepted %" PRIu64 "\nactive %" PRIu64 "\nbytes %" PRIu64 "\nerrors %" PRIu64
                  "\ntimed-out %" PRIu64 "\ncut %" PRIu64 "\npauses %" PRIu64 "\n",
                  s.accepted, s.active, s.bytes, s.errors, s.timed_out, s.cut, s.pauses);
}

static enum exit_code close_the_books(const struct program *p)
{
    echo_server_stats sum = {0};
    bool is_clean = !p->aborted;

    for (unsigned i = 0; i < p->settings.threads; i++) {
        is_clean = report(&p->threads[i]) && is_clean;
        add_stats(&sum, echo_server_get_stats(p->threads[i].server));
    }
    if (p->settings.stats) {
        print_stats(sum);
    }
    return is_clean ? EXIT_DRAINED : EXIT_CUT;
}

int main(int argc, char **argv)
{
    static struct program program = {.signals = -1, .ends = -1}; /* a debugger finds it anywhere */
    enum exit_code code = EXIT_NO_SERVER;
    int result;

    program.settings = parse_options(argc, argv);
    program.threads = calloc(program.settings.threads, sizeof *program.threads);
    if (program.threads == NULL) {
        explain_failure(&program.settings, -ENOMEM);
        return EXIT_NO_SERVER;
    }
    result = set_up(&program);
    if (result != 0) {
        explain_failure(&program.settings, result);
    } else if (serve(&program)) {
        code = close_the_books(&program);
    }
    take_down(&program);
    return (int)code;
}
