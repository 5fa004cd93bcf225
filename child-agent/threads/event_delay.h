/* Event delay: what profd_event_loop.h is told, as the sampler reads and writes it. */
#ifndef PROFD_AGENT_EVENT_DELAY_H
#define PROFD_AGENT_EVENT_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/sample_encoder.h"
#include "child-agent/threads/thread_registration.h"

/* Less is the way into the wait and out of it, and counts as none. */
#define EVENT_DELAY_LEAST_NS 100000u

/* Looks at all threads now; sampler only. Nothing while no thread has ever told of an event. */
void event_delays_read(struct sampler_access access);

/* Whether any thread ever told of its events: else there is nothing to write. */
bool event_delays_are_used(void);

/* Writes what was read, as it was BEFORE_NS before, into the tick under way; sampler only. */
void event_delays_write(struct sampler_access access, struct sample_encoder *encoder,
                        uint64_t before_ns);

/* The thread's registration ends: its idle clock is never called again. Thread only. */
void event_delay_end(struct thread_registration *self);

/* In a forked child: the sampler of the parent, which calls idle clocks, is not there. */
void event_delay_unlock_in_child(void);

#endif
