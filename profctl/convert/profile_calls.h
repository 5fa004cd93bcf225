/* ProfileCalls: from samples to calls with a begin and an end, as DevTools' trace engine estimates
 * them ("The life of a ProfileCall").
 *
 * Samples come in the order of their times. Position by position, frames of a sample that are those
 * of the stack so far have their calls extended to the sample's time; calls of frames that are no
 * longer there end at that time; new ones begin with no duration. What is open in the end is not
 * extended further. Where a thread slept between two samples, its calls end one tick after the
 * first.
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_PROFILE_CALLS_H
#define PROFD_PROFCTL_PROFILE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

struct profile_call {
    uint32_t function; /* of the caller's own numbers */
    size_t sample;     /* that it began with */
    uint32_t depth;    /* 0: the outermost */
    double start_ms, end_ms;
    double self_ms; /* without the calls inside it */
};

/* A call has ended; those inside it have been told before. 0 or a negative errno. */
typedef int profile_call_ended(void *owner, const struct profile_call *call);

/* What samples say. */
struct profile_call_sample {
    double time_ms;
    const uint32_t *functions; /* the outermost first */
    size_t depth;              /* 0: the thread was seen without a stack */
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
/* The thread slept from TIME_MS on: what is open ends there, or where it was seen last. */
int profile_calls_sleep(struct profile_calls *calls, double time_ms);
/* There are no more samples. */
int profile_calls_finish(struct profile_calls *calls);

/* Frees it; nothing more is told. */
void profile_calls_free(struct profile_calls *calls);

/* Whether the thread slept between two samples: more time went by than it used, by two ticks. */
static inline int profile_calls_slept(double between_ms, double cpu_ms, double tick_ms)
{
    return between_ms - cpu_ms > 2 * tick_ms;
}

#endif
