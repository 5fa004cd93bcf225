/* A gate: a thread of the program waits, for a while, until one of the agent's has done what it has
 * to do first. Made of a word and the kernel's futex, so it is the same in a forked child. */
#ifndef PROFD_AGENT_GATE_H
#define PROFD_AGENT_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
    _Atomic uint32_t is_open;
};

/* Nobody waits at GATE, and nobody is about to open it. */
void gate_close(struct gate *gate);

/* Lets go whoever waits, and who comes later. Any thread. */
void gate_open(struct gate *gate);

/* Until GATE is open, or at most MOST_MS; whether it is open. Any thread. */
bool gate_wait(struct gate *gate, int max_ms);

#endif
