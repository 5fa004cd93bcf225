/* Events that a thread recorded about itself and that bound its calls (profile_calls.h): markers of
 * a type that says that each is a task of an event loop, or that they nest as calls do. One
 * thread. */
#ifndef PROFD_PROFCTL_THREAD_EVENTS_H
#define PROFD_PROFCTL_THREAD_EVENTS_H

#include <stdbool.h>

#include "json/mapped_array.h"
#include "profctl/processed/processed_types.h"
#include "profctl/profile/marker_spans.h"

/* The begin of an event, or the end of the last one that has begun. */
struct thread_event {
    double time_ms;
    bool is_begin;
    unsigned kind; /* bits of enum profile_event */
};

/* A zeroed struct is empty. */
struct thread_events {
    struct mapped_array events; /* struct thread_event, by time; at one time, ends come first */
    struct mapped_array open;   /* double: end times of the open ones */
    struct marker_spans spans;
};

/* Finds the events of THREAD, whose marker types are TYPES. They are made to nest: an event that
 * ends after the one that it began in is cut off there. Returns 0, -EPROTO for an invalid payload,
 * -ENOMEM, or the reader's error. */
int thread_events_take(struct thread_events *events, const struct profile_thread *thread,
                       const struct processed_types *types);
void thread_events_free(struct thread_events *events);

#endif
