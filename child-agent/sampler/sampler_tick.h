/* One tick of the sampler: asking threads for snapshots and taking them, or looking where they
 * sleep. Sampler's lock held. */
#ifndef PROFD_AGENT_SAMPLER_TICK_H
#define PROFD_AGENT_SAMPLER_TICK_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/chunk_manager.h"
#include "child-agent/session_settings.h"

struct sampler_tick; /* opaque: encoder, counters, the tick under way */

/* Borrows both arguments. 0 or -errno. */
int sampler_tick_create(const struct session_settings *settings, struct chunk_manager *manager,
                        struct sampler_tick **out);
/* TICK, which was just created, goes on where the one before it ended: what threads used in between
 * counts. */
void sampler_tick_resume(struct sampler_tick *tick);
void sampler_tick_destroy(struct sampler_tick *tick);

/* Starts a tick: requests a snapshot from every thread that has run. The sampler slept for STRIDE
 * intervals: if nobody ran meanwhile, the ticks that were left out are written as well. Returns
 * whether anybody ran. */
bool sampler_tick_request(struct sampler_tick *tick, uint32_t stride);

/* Instead of asking anybody: a tick that tells where the threads sleep that have run since the last
 * look. False, and nothing written, when nobody has. */
bool sampler_tick_look(struct sampler_tick *tick);

/* In the handler of the only thread: a tick with the counters of the program and the process. */
void sampler_tick_record_alone(struct sampler_tick *tick);

/* The same when the only thread is about to end the process. */
void sampler_tick_read_last_alone(struct sampler_tick *tick);

/* Looks for threads that nobody registered, if the session is to and it is time. HAS_RUN is what
 * sampler_tick_request() returned. The sampler's thread only. */
void sampler_tick_spy(struct sampler_tick *tick, bool has_run);

/* Ends the tick under way, if there is one: writes what came. */
void sampler_tick_collect(struct sampler_tick *tick);

/* By the sampler's thread, once, before all ticks. */
void sampler_tick_begin_in_sampler(struct sampler_tick *tick, bool has_own_descriptors);

/* Writes which counters changed, behind the latest tick; those of the process only when anybody
 * HAS_RUN. The sampler's thread. */
void sampler_tick_record_counters(struct sampler_tick *tick, bool has_run);

/* What the program counted since, when there may be no tick any more, nor have been one. All
 * signals are blocked. */
void sampler_tick_record_last_counters(struct sampler_tick *tick);

/* When the parts of a wake-up began, in ticks of the clock. */
struct sampler_tick_times {
    uint64_t locking, threads, counters, rest;
};

/* Notes what the wake-up that requested the tick under way took, which ends now. It is written with
 * the tick. */
void sampler_tick_note_overhead(struct sampler_tick *tick, const struct sampler_tick_times *times);

#endif
