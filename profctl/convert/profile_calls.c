#include "profctl/convert/profile_calls.h"

#include <assert.h>
#include <errno.h>

static struct profile_call *call_at(const struct profile_calls *calls, size_t depth)
{
    return (struct profile_call *)calls->open.items + depth;
}

/* The innermost call ends: its time is none of its caller's own. Open calls owe that in self_ms. */
static int end_innermost(struct profile_calls *calls)
{
    assert(calls->open.count > 0);
    calls->open.count--;
    struct profile_call ended = *call_at(calls, calls->open.count);
    double duration_ms = calls->reached_ms - ended.start_ms;
    ended.end_ms = calls->reached_ms;
    ended.self_ms += duration_ms;
    if (ended.self_ms < 0)
        ended.self_ms = 0; /* sums of fractions are not exact */
    if (calls->open.count > 0)
        call_at(calls, calls->open.count - 1)->self_ms -= duration_ms;
    return calls->on_ended(calls->owner, &ended);
}

/* Extends all open calls to TIME_MS, unless they already reach beyond, as when a clock stepped
 * back. */
static void extend_open_calls(struct profile_calls *calls, double time_ms)
{
    if (calls->open.count == 0 || time_ms > calls->reached_ms)
        calls->reached_ms = time_ms;
}

static int end_calls(struct profile_calls *calls, size_t depth)
{
    int error = 0;

    while (calls->open.count > depth && error == 0)
        error = end_innermost(calls);
    return error;
}

static int push_call(struct profile_calls *calls, const struct profile_call_frame *frame)
{
    uint32_t depth = (uint32_t)calls->open.count;
    struct profile_call *call = mapped_array_push(&calls->open, sizeof(*call));

    if (call == NULL)
        return -ENOMEM;
    *call = (struct profile_call){
        .frame = *frame, .sample = calls->samples, .depth = depth, .start_ms = calls->reached_ms
    };
    return 0;
}

/* --- Locks --- */

/* How many of the open calls cannot end yet. */
static size_t locked_depth(const struct profile_calls *calls)
{
    const size_t *locks = calls->locks.items;

    return calls->locks.count > 0 ? locks[calls->locks.count - 1] : 0;
}

static size_t pop_lock(struct profile_calls *calls)
{
    size_t depth = locked_depth(calls);

    if (calls->locks.count > 0)
        calls->locks.count--;
    return depth;
}

static int push_lock(struct profile_calls *calls, size_t depth)
{
    size_t *lock = mapped_array_push(&calls->locks, sizeof(*lock));

    if (lock == NULL)
        return -ENOMEM;
    *lock = depth;
    return 0;
}

/* Extends all open calls to TIME_MS; those above DEPTH that are not locked end there. */
static int truncate_calls(struct profile_calls *calls, size_t depth, double time_ms)
{
    size_t locked = locked_depth(calls);

    extend_open_calls(calls, time_ms);
    return end_calls(calls, depth > locked ? depth : locked);
}

/* --- Samples --- */

/* How many of the open calls stay open: those that are locked, and the frames that are the same. */
static size_t count_same(const struct profile_calls *calls,
                         const struct profile_call_sample *sample)
{
    size_t same = locked_depth(calls);

    if (calls->known_from <= same && same < calls->known_to)
        same = calls->known_to;
    if (same > calls->open.count)
        same = calls->open.count;
    while (same < calls->open.count && same < sample->depth &&
           call_at(calls, same)->frame.identity == sample->frames[same].identity)
        same++;
    return same;
}

static int take_stack(struct profile_calls *calls, const struct profile_call_sample *sample)
{
    size_t locked = locked_depth(calls), same = count_same(calls, sample);
    int error = truncate_calls(calls, same, sample->time_ms);

    calls->known_from = locked;
    calls->known_to = sample->depth;
    for (size_t i = same; i < sample->depth && error == 0; i++) {
        if (!sample->frames[i].is_hidden)
            error = push_call(calls, &sample->frames[i]);
        else if (i < calls->known_to)
            calls->known_to = i; /* those above it are open where it was */
    }
    return error;
}

/* Whether the thread is right in an event that is a function call. */
static bool is_in_function_call(const struct profile_calls *calls)
{
    const unsigned *events = calls->events.items;

    return calls->events.count > 0 &&
           (events[calls->events.count - 1] & PROFILE_EVENT_FUNCTION_CALL) != 0;
}

static int take_counted(struct profile_calls *calls, const struct profile_call_sample *sample)
{
    bool is_lone = !calls->has_lone_calls && !is_in_function_call(calls);

    if (is_lone && calls->open.count > 0)
        return 0;
    calls->has_lone_calls |= is_lone;
    int error = take_stack(calls, sample);
    return error == 0 && is_lone ? push_lock(calls, 0) : error;
}

int profile_calls_take(struct profile_calls *calls, const struct profile_call_sample *sample)
{
    if (calls->known_to > sample->same)
        calls->known_to = sample->same; /* also after samples that do not count */
    int error = take_counted(calls, sample);
    calls->samples++;
    return error;
}

/* --- Events --- */

int profile_calls_begin_event(struct profile_calls *calls, unsigned event, double time_ms)
{
    unsigned *place;
    int error = 0;

    if ((event & PROFILE_EVENT_TASK) != 0) {
        calls->locks.count = 0;
        calls->has_lone_calls = false;
        error = truncate_calls(calls, 0, time_ms);
    }
    if (error == 0 && calls->has_lone_calls)
        error = truncate_calls(calls, pop_lock(calls), time_ms);
    calls->has_lone_calls = false;
    if (error == 0)
        error = truncate_calls(calls, calls->open.count, time_ms);
    if (error == 0)
        error = push_lock(calls, calls->open.count);
    if (error < 0)
        return error;
    place = mapped_array_push(&calls->events, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = event;
    return 0;
}

int profile_calls_end_event(struct profile_calls *calls, double time_ms)
{
    assert(calls->events.count > 0);
    calls->events.count--;
    size_t depth = pop_lock(calls);
    return truncate_calls(calls, depth, time_ms);
}

int profile_calls_finish(struct profile_calls *calls)
{
    return end_calls(calls, 0);
}

void profile_calls_free(struct profile_calls *calls)
{
    mapped_array_free(&calls->events);
    mapped_array_free(&calls->locks);
    mapped_array_free(&calls->open);
}
