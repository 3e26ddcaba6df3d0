/* main.c - given: the program echo-server. docs/protocol.md says what it promises. */
#include "echo_server.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

enum exit_code {
    EXIT_DRAINED = 0,   /* stopped, and every connection has ended by itself */
    EXIT_CUT = 1,       /* stopped, and some were cut */
    EXIT_NO_SERVER = 2, /* it could not start */
};

struct settings {
    echo_server_options server;
    unsigned loop_options;
    bool stats;
};

/* All that main() sets up, in this order, and takes down in the other. */
struct program {
    scheduler *scheduler;
    timers *timers;
    event_loop *loop;
    echo_server *server;
    int signals;       /* a signalfd */
    intptr_t failures; /* connections cut; negative: the errno that ended accepting */
    bool aborted;
};

static const char usage[] =
    "usage: echo-server [OPTION]...\n"
    "Sends back what its clients send.\n"
    "  --host ADDR              listen on this address (127.0.0.1)\n"
    "  --port N                 and port; 0: one that the kernel chooses (8080)\n"
    "  --max-connections N      serve no more at a time; 0: no limit (0)\n"
    "  --idle-timeout SECONDS   close a connection that is silent for so long; 0: never (0)\n"
    "  --drain-timeout SECONDS  after SIGTERM, cut what is not done by then; 0: never (10)\n"
    "  --level-triggered        use epoll level-triggered\n"
    "  --stats                  print counters at the end\n"
    "  --help                   print this\n";

/* ---- The command line ---------------------------------------------------- */

static _Noreturn void refuse(const char *what, const char *value, const char *why)
{
    (void)fprintf(stderr, "echo-server: %s%s%s: %s\n", what, *value != '\0' ? " " : "", value, why);
    exit(EXIT_NO_SERVER);
}

static unsigned parse_number(const char *option, const char *text, unsigned long limit)
{
    char *end;
    unsigned long number;

    errno = 0;
    number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number > limit) {
        char why[64];

        (void)snprintf(why, sizeof why, "not a whole number from 0 to %lu", limit);
        refuse(option, text, why);
    }
    return (unsigned)number;
}

static int64_t parse_seconds(const char *option, const char *text)
{
    char *end;
    double seconds;

    errno = 0;
    seconds = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(seconds >= 0 && seconds <= 1e9)) {
        refuse(option, text, "not a number of seconds from 0 to 1000000000");
    }
    return (int64_t)(seconds * 1e9) + (seconds > 0 && seconds < 1e-9 ? 1 : 0);
}

static struct settings parse_options(int argc, char **argv)
{
    enum { HOST, PORT, MAX, IDLE, DRAIN, LEVEL, STATS, HELP };
    static const struct option options[] = {
        {"host", required_argument, NULL, HOST},
        {"port", required_argument, NULL, PORT},
        {"max-connections", required_argument, NULL, MAX},
        {"idle-timeout", required_argument, NULL, IDLE},
        {"drain-timeout", required_argument, NULL, DRAIN},
        {"level-triggered", no_argument, NULL, LEVEL},
        {"stats", no_argument, NULL, STATS},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0},
    };
    struct settings settings = {.server = {.port = 8080, .drain_timeout = SECONDS(10)}};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case HOST:
            settings.server.host = optarg;
            break;
        case PORT:
            settings.server.port = (uint16_t)parse_number("--port", optarg, UINT16_MAX);
            break;
        case MAX:
            settings.server.max_connections = parse_number("--max-connections", optarg, 1000000000);
            break;
        case IDLE:
            settings.server.idle_timeout = parse_seconds("--idle-timeout", optarg);
            break;
        case DRAIN:
            settings.server.drain_timeout = parse_seconds("--drain-timeout", optarg);
            break;
        case LEVEL:
            settings.loop_options |= EVENT_LOOP_LEVEL_TRIGGERED;
            break;
        case STATS:
            settings.stats = true;
            break;
        case HELP:
            (void)fputs(usage, stdout);
            exit(EXIT_SUCCESS);
        default: /* getopt_long has said what is wrong */
            exit(EXIT_NO_SERVER);
        }
    }
    if (optind < argc) {
        refuse(argv[optind], "", "no such argument; see --help");
    }
    return settings;
}

/* ---- Signals, as a coroutine reads them ---------------------------------- */

struct watch {
    task task; /* first */
    struct program *program;
    struct signalfd_siginfo info;
    intptr_t n;
    int signals;
};

/* The first SIGTERM or SIGINT stops gracefully, the second at once. */
static void signals_body(co_handle frame)
{
    struct watch *self = (struct watch *)frame;
    struct program *p = self->program;

    CO_BEGIN(self);
    for (;;) {
        CO_AWAIT(self, self->n,
                 event_loop_read(p->loop, p->signals, &self->info, sizeof self->info));
        if (self->n <= 0) { /* the server has drained */
            CO_RETURN(self, 0);
        }
        if (++self->signals == 1) {
            echo_server_stop(p->server);
        } else {
            p->aborted = true;
            echo_server_abort(p->server);
        }
    }
    CO_END(self);
}

/* Waits for the end of the server, and then ends the watch for signals. */
static void ending_body(co_handle frame)
{
    struct watch *self = (struct watch *)frame;
    struct program *p = self->program;

    CO_BEGIN(self);
    CO_AWAIT(self, p->failures, echo_server_drained(p->server));
    (void)event_loop_close(p->loop, p->signals);
    CO_RETURN(self, 0);
    CO_END(self);
}

static int spawn(struct program *p, const char *name, void (*body)(co_handle))
{
    struct watch *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return -ENOMEM;
    }
    self->program = p;
    return scheduler_spawn(p->scheduler, task_init(&self->task, name, body, NULL));
}

/* Signals are blocked, so that they come through the descriptor. SIGPIPE concerns standard output.
 */
static int open_signals(void)
{
    sigset_t set;
    int fd;

    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

/* ---- The program --------------------------------------------------------- */

static int set_up_loop(struct program *p, unsigned loop_options)
{
    p->scheduler = scheduler_create(SCHEDULER_FIFO);
    p->timers = timers_create(lab_clock_monotonic());
    if (p->scheduler == NULL || p->timers == NULL) {
        return -ENOMEM;
    }
    p->loop = event_loop_create(p->scheduler, p->timers, loop_options);
    if (p->loop == NULL) {
        return -errno;
    }
    p->signals = open_signals();
    return p->signals < 0 ? p->signals : 0;
}

static int set_up(struct program *p, const struct settings *settings)
{
    int result = set_up_loop(p, settings->loop_options);

    if (result == 0) {
        result = echo_server_start(&p->server, p->loop, &settings->server);
    }
    if (result == 0) {
        result = spawn(p, "signals", signals_body);
    }
    if (result == 0) {
        result = spawn(p, "ending", ending_body);
    }
    return result;
}

static void take_down(struct program *p)
{
    (void)scheduler_destroy(p->scheduler);
    echo_server_destroy(p->server);
    event_loop_destroy(p->loop);
    timers_destroy(p->timers);
}

static void explain_failure(const struct settings *settings, int error)
{
    const char *host = settings->server.host != NULL ? settings->server.host : "127.0.0.1";

    (void)fprintf(stderr, "echo-server: cannot listen on %s port %u: %s\n", host,
                  (unsigned)settings->server.port,
                  error == -EINVAL ? "neither an address nor a known host" : strerror(-error));
}

static void print_stats(echo_server_stats s)
{
    (void)fprintf(stderr,
                  "accepted %" PRIu64 "\nactive %" PRIu64 "\nbytes %" PRIu64 "\nerrors %" PRIu64
                  "\ntimed-out %" PRIu64 "\ncut %" PRIu64 "\npauses %" PRIu64 "\n",
                  s.accepted, s.active, s.bytes, s.errors, s.timed_out, s.cut, s.pauses);
}

static enum exit_code serve(struct program *p, bool stats)
{
    int result;

    if (printf("listening on %s\n", echo_server_address(p->server)) < 0 || fflush(stdout) != 0) {
        (void)fprintf(stderr, "echo-server: cannot write to standard output: %s\n",
                      strerror(errno));
        return EXIT_NO_SERVER;
    }
    result = event_loop_run(p->loop);
    if (result != 0) {
        (void)fprintf(stderr, "echo-server: the event loop ended with %d\n", result);
        (void)scheduler_report(p->scheduler, stderr);
    }
    if (p->failures < 0) {
        (void)fprintf(stderr, "echo-server: cannot accept: %s\n", strerror((int)-p->failures));
    }
    if (stats) {
        print_stats(echo_server_get_stats(p->server));
    }
    return result == 0 && p->failures == 0 && !p->aborted ? EXIT_DRAINED : EXIT_CUT;
}

int main(int argc, char **argv)
{
    struct settings settings = parse_options(argc, argv);
    struct program program = {.signals = -1};
    int result = set_up(&program, &settings);
    enum exit_code code = EXIT_NO_SERVER;

    if (result != 0) {
        explain_failure(&settings, result);
    } else {
        code = serve(&program, settings.stats);
    }
    take_down(&program);
    return (int)code;
}
