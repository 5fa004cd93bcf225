/* The list of calls that wait for the next sampling, from the program's request until the call is
 * made.
 *
 * A call is due at the end of the second wake-up of the sampler after its request: the first
 * wake-up begins a tick, the second collects it. The thread that samples or looks makes the calls
 * without holding any lock. */
#ifndef PROFD_AGENT_AFTER_SAMPLING_H
#define PROFD_AGENT_AFTER_SAMPLING_H

#include <stdbool.h>

#include "profd_sampling.h"

/* Starts to accept calls. */
void after_sampling_open(void);

/* Returns whether any call is waiting. Any thread. */
bool after_sampling_is_awaited(void);

/* Notes that a tick has been collected and another one begun. Sampling or looking thread. */
void after_sampling_note_tick(void);

/* Makes the calls that are due with OUTCOME; if OUTCOME is not COMPLETED, makes all of them.
 * Sampling or looking thread. */
void after_sampling_call(enum profd_sampling_outcome outcome);

/* Accepts no more calls. Those that wait are left for after_sampling_call_left(). */
void after_sampling_close(void);

/* Returns whether calls are left that wait for nothing any more. Any thread. */
bool after_sampling_has_left(void);

/* Makes these, as STOPPED. Sampling or looking thread. */
void after_sampling_call_left(void);

/* Called in a forked child, which has no sampler. Forgets all waiting calls. */
void after_sampling_after_fork_child(void);

#endif
