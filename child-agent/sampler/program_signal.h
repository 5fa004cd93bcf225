/* What the program wants to happen on a signal that has our handler in the kernel.
 *
 * One thread at a time sets it, under a lock; a handler reads it at any moment, and never waits:
 * the action that is in force is never written to. Zeroed: the program wants nothing. */
#ifndef PROFD_AGENT_PROGRAM_SIGNAL_H
#define PROFD_AGENT_PROGRAM_SIGNAL_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct program_signal {
    _Atomic bool has_ours;
    _Atomic uint32_t changes;
    struct sigaction actions[2]; /* the one in force is at changes % 2 */
};

static inline bool sampling_signal_has_handler(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* Async-signal-safe, any thread. */
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
