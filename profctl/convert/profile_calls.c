#include "profctl/convert/profile_calls.h"

#include <assert.h>
#include <errno.h>

static struct profile_call *call_at(const struct profile_calls *calls, size_t depth)
{
    return (struct profile_call *)calls->open.items + depth;
}

/* The innermost call ends: its time is none of its caller's own. */
static int end_innermost(struct profile_calls *calls)
{
    assert(calls->open.count > 0);
    calls->open.count--;
    struct profile_call ended = *call_at(calls, calls->open.count);
    if (ended.self_ms < 0)
        ended.self_ms = 0; /* sums of fractions are not exact */
    if (calls->open.count > 0)
        call_at(calls, calls->open.count - 1)->self_ms -= ended.end_ms - ended.start_ms;
    return calls->on_ended(calls->owner, &ended);
}

static void extend(struct profile_call *call, double time_ms)
{
    if (time_ms <= call->end_ms)
        return; /* a clock has stepped back */
    call->self_ms += time_ms - call->end_ms;
    call->end_ms = time_ms;
}

static int end_from(struct profile_calls *calls, size_t depth)
{
    int err = 0;

    while (calls->open.count > depth && err == 0)
        err = end_innermost(calls);
    return err;
}

static int push_call(struct profile_calls *calls, const struct profile_call_frame *frame,
                     double time_ms)
{
    uint32_t depth = (uint32_t)calls->open.count;
    struct profile_call *call = mapped_array_push(&calls->open, sizeof(*call));

    if (call == NULL)
        return -ENOMEM;
    *call = (struct profile_call){ .frame = *frame,
                                   .sample = calls->samples,
                                   .depth = depth,
                                   .start_ms = time_ms,
                                   .end_ms = time_ms };
    return 0;
}

int profile_calls_take(struct profile_calls *calls, const struct profile_call_sample *sample)
{
    size_t same = 0;

    while (same < calls->open.count && same < sample->depth &&
           call_at(calls, same)->frame.identity == sample->frames[same].identity)
        same++;
    for (size_t i = 0; i < calls->open.count; i++)
        extend(call_at(calls, i), sample->time_ms);
    int err = end_from(calls, same);
    for (size_t i = same; i < sample->depth && err == 0; i++) {
        if (!sample->frames[i].is_hidden)
            err = push_call(calls, &sample->frames[i], sample->time_ms);
    }
    calls->samples++;
    return err;
}

int profile_calls_finish(struct profile_calls *calls)
{
    return end_from(calls, 0);
}

void profile_calls_free(struct profile_calls *calls)
{
    mapped_array_free(&calls->open);
}
