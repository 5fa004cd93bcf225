/* Events of a Chrome trace, one object each. One thread. */
#ifndef PROFD_PROFCTL_TRACE_EVENT_H
#define PROFD_PROFCTL_TRACE_EVENT_H

#include <stdint.h>

#include "common/time_units.h"
#include "json/json_writer.h"

/* Whose it is; below 0: not told. */
struct trace_place {
    double pid, tid;
};

/* Begins the object of an event of PHASE, as the format numbers them: "X", "C" … */
void trace_event_begin(struct json_writer *json, const char *phase,
                       const struct trace_place *place);

/* What PLACE is called: WHAT is "process_name" or "thread_name". */
void trace_event_name(struct json_writer *json, const struct trace_place *place, const char *what,
                      const char *name);

#endif
