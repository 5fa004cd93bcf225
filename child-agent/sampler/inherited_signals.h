/* What a program that is run inherits of the caller's signals: what the caller believes that it
 * ignores and blocks, though the kernel has our handler, and the sampling signal open.
 *
 * Nobody is sampled meanwhile who ignores the signal, so it is for as long as exec or posix_spawn
 * take. Async-signal-safe, also between vfork and exec; errno stays as it is. */
#ifndef PROFD_AGENT_INHERITED_SIGNALS_H
#define PROFD_AGENT_INHERITED_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

struct inherited_signals {
    bool are_ignored; /* some have been laid down */
    uint64_t closed;  /* signals that were blocked for this; bit N - 1 is signal N */
};

/* Before the calling thread, or a child that it makes, runs a program. */
void inherited_signals_begin(struct inherited_signals *signals);

/* Once that is so in a child, or could not be done. */
void inherited_signals_end(const struct inherited_signals *signals);

#endif
