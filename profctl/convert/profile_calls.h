/* ProfileCalls: from samples to calls with a begin and an end, as DevTools' trace engine estimates
 * them ("The life of a ProfileCall").
 *
 * Samples come in the order of their times. Position by position, frames of a sample that are those
 * of the stack so far have their calls extended to the sample's time; calls of frames that are no
 * longer there end at that time; new ones begin with no duration. What is open in the end is not
 * extended further. Frames that are no calls, such as (idle), end what was in their place and begin
 * nothing.
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_PROFILE_CALLS_H
#define PROFD_PROFCTL_PROFILE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

/* A frame, in the caller's own numbers. */
struct profile_call_frame {
    uint64_t identity; /* frames that have the same are the same call */
    uint32_t function;
    uint32_t node;  /* of the call tree */
    bool is_hidden; /* no call: it ends what was there, and is not in the stack */
};

struct profile_call {
    struct profile_call_frame frame; /* of the sample that it began with … */
    size_t sample;                   /* … the number of which is this, from 0 on */
    uint32_t depth;                  /* 0: the outermost */
    double start_ms, end_ms;
    double self_ms; /* without the calls inside it */
};

/* A call has ended; those inside it have been told before. 0 or a negative errno. */
typedef int profile_call_ended(void *owner, const struct profile_call *call);

/* What samples say. */
struct profile_call_sample {
    double time_ms;
    const struct profile_call_frame *frames; /* the outermost first */
    size_t depth;                            /* 0: no stack at all */
};

/* Zeroed but for the call-back. */
struct profile_calls {
    profile_call_ended *on_ended;
    void *owner;
    struct mapped_array open; /* struct profile_call, the outermost first */
    size_t samples;
};

/* Each returns 0, -ENOMEM, or the error of the call-back. */
int profile_calls_take(struct profile_calls *calls, const struct profile_call_sample *sample);
/* There are no more samples. */
int profile_calls_finish(struct profile_calls *calls);

/* Frees it; nothing more is told. */
void profile_calls_free(struct profile_calls *calls);

#endif
