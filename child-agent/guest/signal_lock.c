#include "child-agent/guest/signal_lock.h"

#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/guest/real_calls.h"
#include "common/time_units.h"

/* Who holds it may have to run beside many others, or below us: then it is no use to yield. The
 * call by number is no place to be cancelled. */
static void spin(int turn)
{
    enum { YIELDS = 32 };
    static const struct timespec pause = { .tv_nsec = 50 * NS_PER_US };
    if (atomic_load(&core.has_filter)) /* behind which these calls may be forbidden */
        __builtin_ia32_pause();
    else if (turn < YIELDS)
        (void)sched_yield();
    else
        (void)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

void signal_lock_take(struct signal_lock *lock, sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, before); /* fails only for what is no mask */
    for (int turn = 0; atomic_exchange(&lock->is_held, true); turn++)
        spin(turn);
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
