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

/* Returns whether the calling thread is in a handler on a signal stack, small or not, that may have
 * less room left than BYTES and what a sample takes meanwhile. Not known of stacks with
 * SS_AUTODISARM. */
bool small_stacks_lack_room(size_t bytes);

/* Returns whether there was one, and the calling thread is in a handler on a signal stack. */
bool small_stacks_may_be_in_use(void);

#endif
