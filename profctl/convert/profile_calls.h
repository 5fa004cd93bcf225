/* ProfileCalls: from samples to calls with a begin and an end, as DevTools' trace engine estimates
 * them ("The life of a ProfileCall").
 *
 * Samples come in the order of their times; what is told to be earlier counts as of the time before
 * while calls are open. Position by position, frames of a sample that are those
 * of the stack so far have their calls extended to the sample's time; calls of frames that are no
 * longer there end at that time; new ones begin with no duration. What is open in the end is not
 * extended further. Frames that are no calls, such as (idle), end what was in their place and begin
 * nothing.
 *
 * Events that the thread told of itself may be put in between. None of the calls that an event
 * began in ends before it, and those that began in it end with it; all calls end where a task
 * begins. Samples count that come in no event or right in a function call. In an event of another
 * kind they count only where nothing was open; otherwise what is open is as it was when the event
 * began.
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

/* A call has ended (one that is open has no end_ms and self_ms yet); those inside it have been told
 * before. 0 or a negative errno. */
typedef int profile_call_ended(void *owner, const struct profile_call *call);

/* What samples say. */
struct profile_call_sample {
    double time_ms;
    const struct profile_call_frame *frames; /* the outermost first */
    size_t depth;                            /* 0: no stack at all */
    size_t same; /* so many of them at least are those of the sample before: of two deep stacks that
                  * differ at the top, no more than that is looked at */
};

/* What an event is; bits. */
enum profile_event {
    PROFILE_EVENT_OTHER = 0,
    PROFILE_EVENT_TASK = 1 << 0,          /* of an event loop: it is in no call */
    PROFILE_EVENT_FUNCTION_CALL = 1 << 1, /* the thread is in its own code */
};

/* Zeroed but for the call-back. */
struct profile_calls {
    profile_call_ended *on_ended;
    void *owner;
    struct mapped_array open;    /* struct profile_call, the outermost first */
    struct mapped_array events;  /* unsigned: what those are that have not ended */
    struct mapped_array locks;   /* size_t: how many calls were open where they began */
    bool has_lone_calls;         /* the last lock is of samples in no function call */
    double reached_ms;           /* open calls extend to this time */
    size_t known_from, known_to; /* where what is open is what the last sample had there */
    size_t samples;
};

/* Each returns 0, -ENOMEM, or the error of the call-back. */
int profile_calls_take(struct profile_calls *calls, const struct profile_call_sample *sample);
/* An event begins, or the last one that did ends; one must have begun. At one time, events end
 * before others begin, and samples come last. */
int profile_calls_begin_event(struct profile_calls *calls, unsigned event, double time_ms);
int profile_calls_end_event(struct profile_calls *calls, double time_ms);
/* There are no more samples. */
int profile_calls_finish(struct profile_calls *calls);

/* Frees it; nothing more is told. */
void profile_calls_free(struct profile_calls *calls);

#endif
