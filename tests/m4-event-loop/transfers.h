/* transfers.h - coroutines that read and write, and trace what came of it. */
#ifndef TRANSFERS_H
#define TRANSFERS_H

#include "loop_lab.h"

/* Reads up to `chunk` bytes (64 at most) at a time, until `total` bytes, the end or an error.
 * Traces each result: "NAME:data", "NAME:end" or "NAME:ECODE". The name must live as long as the
 * task. */
task *reader(struct loop_lab *lab, const char *name, int fd, size_t chunk, size_t total);

/* Writes a text, however many calls it takes; traces "NAME:done" or "NAME:ECODE". */
task *writer(struct loop_lab *lab, const char *name, int fd, const char *text);

/* Any one await that was made before; traces "NAME:value@TIME", the time in ms. */
task *awaiting(struct loop_lab *lab, const char *name, awaiter what);

/* Moves `length` bytes, `chunk` at most at a time, into or out of a buffer of the caller's. Throws
 * the error of a transfer, or -EPIPE at the end of the stream. */
task *bulk_reader(struct loop_lab *lab, int fd, char *buffer, size_t length, size_t chunk);
task *bulk_writer(struct loop_lab *lab, int fd, const char *buffer, size_t length, size_t chunk);

/* Bytes that do not repeat soon, different for each seed. */
void fill_pattern(char *buffer, size_t length, unsigned seed);

#endif
