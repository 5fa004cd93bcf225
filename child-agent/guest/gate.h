/* A gate: makes a thread of the program wait, for a limited time, until an agent thread has done
 * something. It consists of a word and the kernel's futex, so it works the same in a forked
 * child. */
#ifndef PROFD_AGENT_GATE_H
#define PROFD_AGENT_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
    _Atomic uint32_t is_open;
};

/* Closes GATE. Nobody may be waiting at it or about to open it. */
void gate_close(struct gate *gate);

/* Opens GATE for all who wait or come later. Any thread. */
void gate_open(struct gate *gate);

/* Waits until GATE is open, for at most MAX_MS. Returns whether it is open. Any thread. */
bool gate_wait(struct gate *gate, int max_ms);

#endif
