/* record.c - the sealed record: a verdict that the tested code cannot forge by printing or exiting.
 *
 * Who starts the program hands it two descriptors, by number: LAB_NONCE_FD holds one line, a secret;
 * LAB_RECORD_FD takes one line of JSON with that secret in it for each case, written when all of it is over.
 * The secret is read before the process of the case exists, and wiped in it.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static char nonce[256];
static int record_fd = -1;

/* A descriptor's number from the environment, from which it is taken; -1: not there. */
static int take_descriptor(const char *variable)
{
    const char *text = getenv(variable);
    char *end = NULL;
    long number = text == NULL ? -1 : strtol(text, &end, 10);

    if (text == NULL || end == text || *end != '\0' || number < 0 || number > 1 << 20) {
        number = -1;
    }
    (void)unsetenv(variable);
    return (int)number;
}

/* One line, into `nonce`. False: there is none. */
static bool read_nonce(int fd)
{
    size_t length = 0;
    ssize_t got = 0;

    while (length + 1 < sizeof nonce) {
        got = read(fd, nonce + length, 1);
        if (got <= 0 || nonce[length] == '\n') {
            break;
        }
        length++;
    }
    nonce[length] = '\0';
    (void)close(fd);
    return length > 0;
}

bool record_open(void)
{
    bool wanted = getenv("LAB_RECORD_FD") != NULL;
    int nonce_fd = take_descriptor("LAB_NONCE_FD");

    record_fd = take_descriptor("LAB_RECORD_FD");
    if (!wanted) {
        return true;
    }
    /* Without this, the case's process could read this one's memory through /proc. */
    (void)prctl(PR_SET_DUMPABLE, 0);
    return record_fd >= 0 && nonce_fd >= 0 && read_nonce(nonce_fd);
}

void record_forget(void)
{
    explicit_bzero(nonce, sizeof nonce);
    if (record_fd >= 0) {
        (void)close(record_fd);
        record_fd = -1;
        (void)prctl(PR_SET_DUMPABLE, 1); /* LeakSanitizer and debuggers need it */
    }
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

/* The length of the UTF-8 sequence at `s`; 0 if it is not one. */
static size_t sequence_length(const unsigned char *s)
{
    size_t length = *s < 0x80                  ? 1
                    : *s >= 0xC2 && *s <= 0xDF ? 2
                    : *s >= 0xE0 && *s <= 0xEF ? 3
                    : *s >= 0xF0 && *s <= 0xF4 ? 4
                                               : 0;
    size_t i;

    for (i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    /* Longer than needed, surrogates, beyond U+10FFFF. */
    if ((*s == 0xE0 && s[1] < 0xA0) || (*s == 0xED && s[1] > 0x9F) || (*s == 0xF0 && s[1] < 0x90) ||
        (*s == 0xF4 && s[1] > 0x8F)) {
        return 0;
    }
    return length;
}

static void write_string(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length;

    (void)fputc('"', out);
    for (; *s != '\0'; s += length > 0 ? length : 1) {
        length = sequence_length(s);
        if (length == 0) {
            (void)fputs("\\ufffd", out);
        } else if (*s < 0x20 || *s == 0x7F) {
            (void)fprintf(out, "\\u%04x", *s);
        } else {
            (void)fprintf(out, "%s%.*s", *s == '"' || *s == '\\' ? "\\" : "", (int)length, s);
        }
    }
    (void)fputc('"', out);
}

static void write_member(FILE *out, const char *name, const char *text)
{
    write_string(out, name);
    (void)fputs(": ", out);
    write_string(out, text);
    (void)fputs(", ", out);
}

static void write_steps(FILE *out, const struct case_log *log)
{
    unsigned i;
    bool first = true;

    (void)fputs("\"steps\": [", out);
    for (i = 0; i < log->steps; i++) {
        if (case_log_step(log, i) != NULL) {
            (void)fputs(first ? "" : ", ", out);
            write_string(out, case_log_step(log, i));
            first = false;
        }
    }
    (void)fputs("], ", out);
}

static void write_hint(char *hint, size_t size, const char *cause, const char *section,
                       const struct case_log *log)
{
    char repeat[48] = "";

    if (log->seeded) {
        (void)snprintf(repeat, sizeof repeat, " (LAB_SEED=%u repeats it)", log->seed);
    }
    (void)snprintf(hint, size, "%s%s%shandout, \"%s\"", cause, repeat,
                   cause[0] != '\0' || log->seeded ? "; " : "", section);
}

static char buffer[4096]; /* of the file that a record is written to; it held the secret */

/* The descriptor stays open for the next record. */
static FILE *open_record(void)
{
    int fd = dup(record_fd);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

    if (out != NULL) {
        (void)setvbuf(out, buffer, _IOFBF, sizeof buffer);
    } else if (fd >= 0) {
        (void)close(fd);
    }
    return out;
}

static bool close_record(FILE *out)
{
    bool written = fclose(out) == 0;

    explicit_bzero(buffer, sizeof buffer);
    return written;
}

bool record_write(const char *id, const struct lab_case *c, const struct verdict *v,
                  const struct case_log *log)
{
    char hint[1024] = "";
    FILE *out;

    if (record_fd < 0) {
        return true;
    }
    out = open_record();
    if (out == NULL) {
        return false;
    }
    if (v->exit != LAB_PASSED) {
        write_hint(hint, sizeof hint, likely_cause(c, v), c->section, log);
    }
    (void)fputc('{', out);
    write_member(out, "nonce", nonce);
    write_member(out, "id", id);
    write_member(out, "status", verdict_word(v->exit));
    (void)fprintf(out, "\"seconds\": %.3f, ", v->seconds);
    write_member(out, "message", v->message);
    write_steps(out, log);
    (void)fputs("\"hint\": ", out);
    write_string(out, hint);
    (void)fputs("}\n", out);
    return close_record(out);
}
