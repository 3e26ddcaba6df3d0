/* recorder.h - an executor for tests: it writes down who was made ready, and resumes when told. */
#ifndef RECORDER_H
#define RECORDER_H

#include "task.h"

enum { RECORDER_ROOM = 64 };

struct recorder {
    executor executor; /* first: hand out &r->executor */
    co_handle ready[RECORDER_ROOM];
    size_t count;         /* of `ready` */
    unsigned scheduled;   /* how often schedule was called */
    unsigned unscheduled; /* how often unschedule was */
    co_handle unscheduled_last;
};

void recorder_init(struct recorder *r);
/* Makes `t` a coroutine of this executor, as a scheduler does when a task enters it, and ready. */
void recorder_start(struct recorder *r, task *t);
/* Resumes the one that has been ready longest; returns its handle, NULL if none is. */
co_handle recorder_resume(struct recorder *r);
/* Until none is ready. Returns how many resumptions that took; ends the test after 1,000. */
unsigned recorder_run(struct recorder *r);
/* True: `t` is ready. */
bool recorder_is_ready(const struct recorder *r, const task *t);

#endif
