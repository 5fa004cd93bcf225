/* Whether the program has signal stacks on which its own handler fits, but not the agent's as well:
 * then its handlers that run on signal stacks block the sampling signal. Any thread, also in signal
 * handlers. */
#ifndef PROFD_AGENT_SMALL_STACKS_H
#define PROFD_AGENT_SMALL_STACKS_H

#include <stdbool.h>
#include <stddef.h>

/* Called when a thread of the program has a signal stack of so many BYTES. Returns true if that is
 * the first small one. */
bool small_stacks_note(size_t bytes);

/* Returns whether there ever was one. */
bool small_stacks_exist(void);

/* Returns how much of its stack the calling thread may use, beside what a sample takes meanwhile,
 * if it is in a handler on a signal stack, small or not; else SIZE_MAX, and on stacks with
 * SS_AUTODISARM, of which it is not known. */
size_t small_stacks_room_bytes(void);

/* Returns whether there was one, and the calling thread is in a handler on a signal stack. */
bool small_stacks_may_be_in_use(void);

#endif
