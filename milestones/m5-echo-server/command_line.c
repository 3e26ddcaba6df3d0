/* command_line.c - given: the options of the program echo-server. docs/protocol.md has them all. */
#include "program.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

enum { MOST_CONNECTIONS = 1000000000, MOST_THREADS = 1024 };

static const char usage[] =
    "usage: echo-server [OPTION]...\n"
    "Sends back what its clients send.\n"
    "  --host ADDR              listen on this address (127.0.0.1)\n"
    "  --port N                 and port; 0: one that the kernel chooses (8080)\n"
    "  --max-connections N      serve no more at a time; 0: no limit (0)\n"
    "  --idle-timeout SECONDS   close a connection that is silent for so long; 0: never (0)\n"
    "  --drain-timeout SECONDS  after SIGTERM, cut what is not done by then; 0: never (10)\n"
    "  --level-triggered        use epoll level-triggered\n"
    "  --threads N              serve on so many threads, each with its share of the connections,\n"
    "                           and of --max-connections (1)\n"
    "  --stats                  print counters at the end\n"
    "  --help                   print this\n";

static _Noreturn void refuse(const char *what, const char *value, const char *why)
{
    (void)fprintf(stderr, "echo-server: %s%s%s: %s\n", what, *value != '\0' ? " " : "", value, why);
    exit(EXIT_NO_SERVER);
}

static unsigned parse_number(const char *option, const char *text, unsigned least, unsigned most)
{
    char *end;
    unsigned long number;

    errno = 0;
    number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number < least ||
        number > most) {
        char why[64];

        (void)snprintf(why, sizeof why, "not a whole number from %u to %u", least, most);
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

/* A thread whose share of the connections is none would listen, and never accept. */
static void check_shares(const struct settings *settings)
{
    unsigned most = settings->server.max_connections;

    if (most > 0 && most < settings->threads) {
        char value[16];

        (void)snprintf(value, sizeof value, "%u", settings->threads);
        refuse("--threads", value, "more than --max-connections, of which each has a share");
    }
}

struct settings parse_options(int argc, char **argv)
{
    enum { HOST, PORT, MAX, IDLE, DRAIN, LEVEL, THREADS, STATS, HELP };
    static const struct option options[] = {
        {"host", required_argument, NULL, HOST},
        {"port", required_argument, NULL, PORT},
        {"max-connections", required_argument, NULL, MAX},
        {"idle-timeout", required_argument, NULL, IDLE},
        {"drain-timeout", required_argument, NULL, DRAIN},
        {"level-triggered", no_argument, NULL, LEVEL},
        {"threads", required_argument, NULL, THREADS},
        {"stats", no_argument, NULL, STATS},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0},
    };
    struct settings settings = {
        .server = {.host = "127.0.0.1", .port = 8080, .drain_timeout = SECONDS(10)},
        .threads = 1,
    };
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case HOST:
            settings.server.host = optarg;
            break;
        case PORT:
            settings.server.port = (uint16_t)parse_number("--port", optarg, 0, UINT16_MAX);
            break;
        case MAX:
            settings.server.max_connections =
                parse_number("--max-connections", optarg, 0, MOST_CONNECTIONS);
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
        case THREADS:
            settings.threads = parse_number("--threads", optarg, 1, MOST_THREADS);
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
    check_shares(&settings);
    return settings;
}
