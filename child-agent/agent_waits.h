/* How the agent's thread waits, with a connection or without: it does its part as the looking
 * thread meanwhile (sampler/looker.h), and each wait ends when the thread is to end. */
#ifndef PROFD_AGENT_AGENT_WAITS_H
#define PROFD_AGENT_AGENT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* Waits once, until DUE_NS of the monotonic clock, something to read on the connection if the
 * thread HAS_LINK, or a look that is due, which is made. Returns as agent_link_wait(), or
 * -ECANCELED: the thread is to end. Agent thread. */
int agent_waits_once(bool has_link, uint64_t due_ns);

/* Waits without a connection until DUE_NS, or until the thread is to end. Agent thread. */
void agent_waits_rest(uint64_t due_ns);

/* Returns whether the thread is to end. */
bool agent_waits_are_over(void);

/* Ends the present wait and all later ones. Not by cancellation, for which the C library loads
 * another one: that may be out of reach. Any thread. */
void agent_waits_end(void);

/* Lets the next thread wait: once the old one has ended, and in a forked child. */
void agent_waits_reset(void);

#endif
