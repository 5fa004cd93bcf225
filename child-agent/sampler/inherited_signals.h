/* Gives a program that is executed the signal state that the caller believes it has: what it
 * ignores and blocks. In the kernel the agent's handler is installed instead, and the sampling
 * signal is open.
 *
 * Threads that ignore the signal are not sampled meanwhile, so this lasts only as long as exec or
 * posix_spawn. Async-signal-safe, also between vfork and exec; preserves errno. */
#ifndef PROFD_AGENT_INHERITED_SIGNALS_H
#define PROFD_AGENT_INHERITED_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

struct inherited_signals {
    bool are_ignored; /* some signals were set to be ignored for this */
    uint64_t closed;  /* signals that were blocked for this; bit N - 1 is signal N */
};

/* Called before the calling thread, or a child that it creates, executes a program. */
void inherited_signals_begin(struct inherited_signals *signals);

/* Called after that was done in a child, or has failed. */
void inherited_signals_end(const struct inherited_signals *signals);

#endif
