/* ProfileCalls: from samples to calls with a begin and an end, as DevTools' trace engine estimates
 * them ("The life of a ProfileCall").
 *
 * Samples come in order of time; while calls are open, a sample with an earlier time counts as if
 * it had the previous time. The frames of a sample are compared with the current stack position by
 * position: calls whose frames are the same are extended to the sample's time, calls whose frames
 * are gone end at that time, and new calls begin with no duration. Calls that are open at the end
 * are not extended further. Frames that are not calls, such as (idle), end the call in their place
 * and begin nothing.
 *
 * Events that the thread recorded about itself may be put in between. A call that was open when an
 * event began does not end before the event; a call that began in it ends with it; and all calls
 * end where a task begins. Samples count if they are in no event or directly in a function call. In
 * an event of another kind they count only if nothing was open; otherwise the open calls stay as
 * they were when the event began.
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_PROFILE_CALLS_H
#define PROFD_PROFCTL_PROFILE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

/* A frame, in numbers chosen by the caller. */
struct profile_call_frame {
    uint64_t identity; /* frames with the same identity are the same call */
    uint32_t function;
    uint32_t node;  /* of the call tree */
    bool is_hidden; /* not a call: it ends the call in its place, and is not in the stack */
};

struct profile_call {
    struct profile_call_frame frame; /* of the sample at which it began … */
    size_t sample;                   /* … and the number of that sample, counted from 0 */
    uint32_t depth;                  /* 0: the outermost */
    double start_ms, end_ms;
    double self_ms; /* without the calls inside it */
};

/* Called when a call has ended (end_ms and self_ms are not set before), after the calls inside it.
 * Returns 0 or a negative errno. */
typedef int profile_call_ended(void *owner, const struct profile_call *call);

/* A sample. */
struct profile_call_sample {
    double time_ms;
    const struct profile_call_frame *frames; /* the outermost first */
    size_t depth;                            /* 0: no stack at all */
    size_t same; /* at least this many frames equal those of the previous sample; of two deep stacks
                  * that differ at the top, no others are compared */
};

/* What an event is; bits. */
enum profile_event {
    PROFILE_EVENT_OTHER = 0,
    PROFILE_EVENT_TASK = 1 << 0,          /* of an event loop: not in any call */
    PROFILE_EVENT_FUNCTION_CALL = 1 << 1, /* the thread is in its own code */
};

/* Zeroed except for the callback. */
struct profile_calls {
    profile_call_ended *on_ended;
    void *owner;
    struct mapped_array open;    /* struct profile_call, outermost first */
    struct mapped_array events;  /* unsigned: kinds of the events that have not ended */
    struct mapped_array locks;   /* size_t: how many calls were open where they began */
    bool has_lone_calls;         /* the last lock was made by samples outside of function calls */
    double reached_ms;           /* open calls extend to this time */
    size_t known_from, known_to; /* range where the open calls equal the last sample's frames */
    size_t samples;
};

/* Takes a sample. This and the next three return 0, -ENOMEM, or the error of the callback. */
int profile_calls_take(struct profile_calls *calls, const struct profile_call_sample *sample);
/* Begin an event, and end the last one that has begun. At the same time, events end before others
 * begin, and samples come last. */
int profile_calls_begin_event(struct profile_calls *calls, unsigned event, double time_ms);
int profile_calls_end_event(struct profile_calls *calls, double time_ms);
/* Called when there are no more samples. */
int profile_calls_finish(struct profile_calls *calls);

/* Frees CALLS without further callbacks. */
void profile_calls_free(struct profile_calls *calls);

#endif
