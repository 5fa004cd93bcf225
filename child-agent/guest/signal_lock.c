#include "child-agent/guest/signal_lock.h"

#include <sched.h>

#include "child-agent/core.h"
#include "child-agent/guest/real_calls.h"

/* Behind a filter, sched_yield may be forbidden. */
static void spin_once(void)
{
    if (atomic_load(&core.has_filter))
        __builtin_ia32_pause();
    else
        (void)sched_yield();
}

void signal_lock_take(struct signal_lock *lock, sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, before); /* fails only for what is no mask */
    while (atomic_exchange(&lock->is_held, true))
        spin_once();
}

void signal_lock_release(struct signal_lock *lock, const sigset_t *before)
{
    atomic_store(&lock->is_held, false);
    (void)real_pthread_sigmask(SIG_SETMASK, before, NULL);
}

void signal_lock_reset(struct signal_lock *lock)
{
    atomic_store(&lock->is_held, false);
}
