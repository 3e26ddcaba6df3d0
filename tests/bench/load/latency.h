/* latency.h - how long messages took, one by one. */
#ifndef LATENCY_H
#define LATENCY_H

#include <stdint.h>

/* Notes one; what does not fit into memory any more is left out. */
void latency_note(int64_t ns);

/* Forgets all. */
void latency_clear(void);

/* So many in a hundred took no longer than this; 0 if none was noted. */
int64_t latency_percentile(int percent);

#endif
