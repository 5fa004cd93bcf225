/* What a thread told of itself that bounds its calls (profile_calls.h): markers whose type says
 * that each is a task of an event loop, or that they nest as calls do. One thread. */
#ifndef PROFD_PROFCTL_THREAD_EVENTS_H
#define PROFD_PROFCTL_THREAD_EVENTS_H

#include <stdbool.h>

#include "json/mapped_array.h"
#include "profctl/processed/processed_types.h"
#include "profctl/profile/marker_spans.h"

/* Where one begins, or where the last that has begun ends. */
struct thread_event {
    double time_ms;
    bool is_begin;
    unsigned kind; /* bits of enum profile_event */
};

/* A zeroed struct is empty. */
struct thread_events {
    struct mapped_array events; /* struct thread_event, by time; at one time, ends come first */
    struct mapped_array open;   /* double: when those end that have begun */
    struct marker_spans spans;
};

/* Finds those of THREAD, whose types are TYPES. They nest: what goes on behind the end of one that
 * it began in ends with that. 0, -EPROTO for a payload that is none, -ENOMEM, or the reader's
 * error. */
int thread_events_take(struct thread_events *events, const struct profile_thread *thread,
                       const struct processed_types *types);
void thread_events_free(struct thread_events *events);

#endif
