/* What the program wants to happen on a signal for which the kernel has the agent's handler.
 *
 * One thread at a time sets it, under a lock. A handler may read it at any moment and never waits,
 * since the current action is never overwritten. Zeroed: the program wants nothing. */
#ifndef PROFD_AGENT_PROGRAM_SIGNAL_H
#define PROFD_AGENT_PROGRAM_SIGNAL_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct program_signal {
    _Atomic bool has_ours;
    _Atomic uint32_t changes;
    struct sigaction actions[2]; /* the current one is at changes % 2 */
};

static inline bool sampling_signal_has_handler(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN; /* whatever the flags */
}

/* Returns the current action. Any thread; async-signal-safe. */
static inline struct sigaction program_signal_action(const struct program_signal *signal)
{
    struct sigaction action;
    uint32_t changes;
    do {
        changes = atomic_load_explicit(&signal->changes, memory_order_acquire);
        action = signal->actions[changes % 2];
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load_explicit(&signal->changes, memory_order_relaxed) != changes);
    return action;
}

static inline void program_signal_set(struct program_signal *signal, const struct sigaction *action)
{
    uint32_t changes = atomic_load_explicit(&signal->changes, memory_order_relaxed) + 1;
    signal->actions[changes % 2] = *action;
    atomic_store_explicit(&signal->changes, changes, memory_order_release);
}

#endif
