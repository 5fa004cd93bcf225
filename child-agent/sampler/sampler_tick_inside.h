/* What the files of a tick share: requests (sampler_tick_ask.c), looks (sampler_tick_look.c), and
 * the rest. Included by nothing else. */
#ifndef PROFD_AGENT_SAMPLER_TICK_INSIDE_H
#define PROFD_AGENT_SAMPLER_TICK_INSIDE_H

#include "buffer/sample_encoder.h"
#include "child-agent/counters/sampler_counters.h"
#include "child-agent/guest/cpu_clock.h"
#include "child-agent/sampler/known_frames.h"
#include "child-agent/sampler/look_files.h"
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
    bool is_under_way; /* answers may come */
    bool is_first;
    bool must_look_again; /* a thread was running when it was looked at, or nothing could be
                           * written */
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
    struct look_files look_files;
    struct known_frames known_frames;
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

/* Returns the CPU clock of THREAD. 0: there is no such thread any more, which is noted. */
uint64_t sampler_tick_read_clock(struct thread_registration *thread);

enum tick_look {
    TICK_LOOK_WRITTEN, /* the thread sleeps, and where */
    TICK_LOOK_RUNS,    /* or has woken up, or is gone */
    TICK_LOOK_BLIND,   /* its stack cannot be followed without other registers */
};

/* Looks at THREAD, whose CPU clock was at CPU_NS before, and writes into the current tick where it
 * sleeps. A stack that could only be followed in part is written too if TAKES_PART. Defined in
 * sampler_tick_look.c. */
enum tick_look sampler_tick_look_at(struct sampler_tick *tick, struct thread_registration *thread,
                                    uint64_t cpu_ns, bool takes_part);

/* Writes into the current tick where THREAD waits, as a sample of no CPU time at TICKS: the COUNT
 * frames in tick->native, and the labels of SNAPSHOT. */
void sampler_tick_write_stack(struct sampler_tick *tick, const struct thread_registration *thread,
                              const struct snapshot *snapshot, size_t count, uint64_t ticks,
                              bool is_truncated);

/* Begins the tick of requested_ticks in the chunk, with what goes before its samples. Returns false
 * if there is no room, which the writer counts. */
bool sampler_tick_write_head(struct sampler_tick *tick);

/* Prepares as many chunks as were used since the last tick, and one more. */
void sampler_tick_prepare_chunks(struct sampler_tick *tick);

#endif
