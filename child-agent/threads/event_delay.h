/* Event delay: what threads report through profd_event_loop.h, as the sampler reads and writes
 * it. */
#ifndef PROFD_AGENT_EVENT_DELAY_H
#define PROFD_AGENT_EVENT_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/sample_encoder.h"
#include "child-agent/threads/thread_registration.h"

/* A shorter delay is only the way into the wait and out of it, and is ignored. */
#define EVENT_DELAY_LEAST_NS 100000u

/* Reads the delays of all threads now. Does nothing if no thread has ever reported an event.
 * Sampler only. */
void event_delays_read(struct sampler_access access);

/* Returns whether any thread has ever reported events; otherwise there is nothing to write. */
bool event_delays_are_used(void);

/* Writes what was read, as it was BEFORE_NS earlier, into the current tick. Sampler only. */
void event_delays_write(struct sampler_access access, struct sample_encoder *encoder,
                        uint64_t before_ns);

/* Called by a thread whose registration ends. Its idle clock is never called again. */
void event_delay_end(struct thread_registration *self);

/* Resets the lock in a forked child, where the parent's sampler, which calls idle clocks, does not
 * exist. */
void event_delay_unlock_in_child(void);

#endif
