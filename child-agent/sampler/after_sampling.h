/* Calls that wait for the next sampling: the list of them, from the program's request to the call.
 *
 * One is due at the end of the second wake-up of the sampler after its request: the first begins a
 * tick, the second collects it. Calls are made without any lock, by the sampler's thread. */
#ifndef PROFD_AGENT_AFTER_SAMPLING_H
#define PROFD_AGENT_AFTER_SAMPLING_H

#include <stdbool.h>

#include "profd_sampling.h"

/* From here on calls are taken. */
void after_sampling_open(void);

/* Whether any call is waiting. Any thread. */
bool after_sampling_is_awaited(void);

/* The sampler's thread: a tick has been collected, and another one begun. */
void after_sampling_note_tick(void);

/* The sampler's thread: makes the calls that are due with OUTCOME; unless it is COMPLETED, all. */
void after_sampling_call(enum profd_sampling_outcome outcome);

/* The sampler's thread, at its end: tells all who still wait; from here on no calls are taken. */
void after_sampling_close(void);

/* In a forked child, which has no sampler: nobody waits. */
void after_sampling_after_fork_child(void);

#endif
