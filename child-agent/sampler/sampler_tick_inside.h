/* What the files of a tick share: requests (sampler_tick_ask.c), looks (sampler_tick_look.c), and
 * the rest. Included by nothing else. */
#ifndef PROFD_AGENT_SAMPLER_TICK_INSIDE_H
#define PROFD_AGENT_SAMPLER_TICK_INSIDE_H

#include "buffer/sample_encoder.h"
#include "child-agent/counters/sampler_counters.h"
#include "child-agent/sampler/cpu_clock.h"
#include "child-agent/sampler/sampler_tick.h"
#include "child-agent/sampler/snapshot_stack.h"
#include "child-agent/threads/event_delay.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/threads/thread_spy.h"

#define TICK_NO_CHUNK UINT64_MAX

struct sampler_tick {
    uint32_t run; /* distinguishes threads that were met from those that were not */
    bool samples_stacks;
    bool records_event_delay;
    struct thread_spy *spy; /* NULL: unregistered threads are not looked for */
    uint64_t interval_ns;
    bool is_under_way;
    bool is_first;
    bool has_passed_over; /* a thread that ran when it was asked where it waits */
    uint64_t session_start_ns;
    uint64_t requested_ticks; /* when the current tick began */
    uint64_t range_start_seen;
    uint32_t ticks_without_chunk;
    struct cpu_activity activity;
    struct chunk_manager *manager; /* borrowed */
    struct chunk_writer writer;
    uint64_t chunk_seen; /* range start of the chunk that is known to contain the sleeping threads'
                          * stacks */
    struct sample_encoder *encoder;
    struct sampler_counters counters;
    bool has_overhead;
    struct sampler_overhead overhead; /* of the current tick */
    uint64_t cleaning_ticks;          /* of the current wake-up */
    struct unwind_frame native[SAMPLE_MAX_FRAMES];
    struct stack_frame merged[SAMPLE_MAX_FRAMES];
    struct snapshot_copy sleeping; /* of the thread that is being looked at */
};

/* Grants the access of the sampler: whoever has the tick is the sampler and holds its lock. */
static inline struct sampler_access sampler_tick_access(const struct sampler_tick *tick)
{
    return (struct sampler_access){ tick };
}

static inline bool sampler_tick_samples(const struct thread_registration *thread)
{
    return thread->life == REGISTRATION_LIVE && thread->profiled_features != 0;
}

/* Returns whether THREAD can be asked by signal where it waits. */
bool sampler_tick_can_ask(const struct thread_registration *thread);

/* Prepares as many chunks as were used since the last tick, and one more. */
void sampler_tick_prepare_chunks(struct sampler_tick *tick);

/* Writes how long the last wake-up took, if that was noted. */
void sampler_tick_write_overhead(struct sampler_tick *tick);

#endif
