/* A lock that handlers of signals may need as well. Whoever holds it has all signals blocked but
 * those of the C library, never waits, takes it no second time, and calls nothing by which the
 * thread could be cancelled: others spin. Zeroed memory is a lock that is free. Any thread, also in
 * signal handlers. */
#ifndef PROFD_AGENT_SIGNAL_LOCK_H
#define PROFD_AGENT_SIGNAL_LOCK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct signal_lock {
    _Atomic bool is_held;
};

/* Takes LOCK. *BEFORE is the calling thread's mask, for signal_lock_release(). */
void signal_lock_take(struct signal_lock *lock, sigset_t *before);

/* Releases LOCK. */
void signal_lock_release(struct signal_lock *lock, const sigset_t *before);

/* Called in a forked child, in which nobody holds LOCK. */
void signal_lock_reset(struct signal_lock *lock);

#endif
