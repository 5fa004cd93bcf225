/* One tick of the sampler: looks where threads sleep, or asks them, and takes their answers. Called
 * with the sampler's lock held. */
#ifndef PROFD_AGENT_SAMPLER_TICK_H
#define PROFD_AGENT_SAMPLER_TICK_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/chunk_manager.h"
#include "child-agent/session_settings.h"

struct sampler_tick; /* opaque: encoder, counters, the current tick */

/* Creates a tick. Both arguments are borrowed. Returns 0 or -errno. */
int sampler_tick_create(const struct session_settings *settings, struct chunk_manager *manager,
                        struct sampler_tick **out);
/* Makes TICK, which was just created, continue where the previous one ended, and counts what
 * threads used in between. */
void sampler_tick_resume(struct sampler_tick *tick);
void sampler_tick_destroy(struct sampler_tick *tick);

/* Starts a tick: looks where those threads sleep that have run, and requests a snapshot from those
 * whose stacks cannot be followed from outside. The sampler slept for STRIDE intervals; if no
 * thread ran meanwhile, the ticks that were left out are written as well. Returns whether any
 * thread ran. */
bool sampler_tick_request(struct sampler_tick *tick, uint32_t stride);

/* Writes a tick that tells where those threads sleep that have run since the last look, without
 * asking any. Returns false, with nothing written, if none has run. */
bool sampler_tick_look(struct sampler_tick *tick);

/* Writes a tick with the counters of the program and the process. Called in the handler of the only
 * thread. */
void sampler_tick_record_alone(struct sampler_tick *tick);

/* Like sampler_tick_record_alone(), when the only thread is about to end the process. */
void sampler_tick_read_last_alone(struct sampler_tick *tick);

/* Looks for threads that nobody registered, if the session asks for that and it is time. HAS_RUN is
 * the result of sampler_tick_request(). The thread that samples or looks. */
void sampler_tick_spy(struct sampler_tick *tick, bool has_run);

/* Ends the current tick, if there is one, and writes what was answered. */
void sampler_tick_collect(struct sampler_tick *tick);

/* Called once by the thread that samples or looks, before all ticks. */
void sampler_tick_begin_in_sampler(struct sampler_tick *tick, bool has_own_descriptors);

/* Called once by the sampler's own thread, if its descriptors are its own, and end with it: it
 * keeps some files open. */
void sampler_tick_keep_files(struct sampler_tick *tick);

/* Writes the counters that have changed after the latest tick; those of the process only if a
 * thread HAS_RUN. The thread that samples or looks. */
void sampler_tick_record_counters(struct sampler_tick *tick, bool has_run);

/* Writes what the program has counted since then, when there may be no more ticks, or have never
 * been any. All signals must be blocked. */
void sampler_tick_record_last_counters(struct sampler_tick *tick);

/* When the parts of a wake-up began, in ticks of the clock. */
struct sampler_tick_times {
    uint64_t locking, threads, counters, rest;
};

/* Notes how long the parts of the wake-up took that requested the current tick and ends now. It is
 * written with the next one. */
void sampler_tick_note_overhead(struct sampler_tick *tick, const struct sampler_tick_times *times);

#endif
