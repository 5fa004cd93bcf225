/* Events of a Chrome trace, one object each. One thread. */
#ifndef PROFD_PROFCTL_TRACE_EVENT_H
#define PROFD_PROFCTL_TRACE_EVENT_H

#include <stdint.h>

#include "common/time_units.h"
#include "json/json_writer.h"

/* The process and thread of an event; negative: not known. */
struct trace_place {
    double pid, tid;
};

/* Begins the object of an event of PHASE, in the format's notation: "X", "C" … */
void trace_event_begin(struct json_writer *json, const char *phase,
                       const struct trace_place *place);

/* Writes the name of PLACE. WHAT is "process_name" or "thread_name". */
void trace_event_name(struct json_writer *json, const struct trace_place *place, const char *what,
                      const char *name);

#endif
