/* Interposed: the program's dealings with the sampling signal, so that they don't end sampling and
 * it does not end them. All other signals go straight through. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "child-agent/core.h"
#include "child-agent/interpose/interpose.h"
#include "child-agent/interpose/real_calls.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registration.h"

/* Whether the sampling signal is blocked in the program's eyes once it has applied SET as HOW says.
 */
static bool blocks_after(bool before, int how, const sigset_t *set)
{
    bool is_member = sigismember(set, sampling_signal_number()) == 1;
    switch (how) {
    case SIG_BLOCK:
        return before || is_member;
    case SIG_UNBLOCK:
        return before && !is_member;
    default:
        return is_member;
    }
}

/* Lets everything through but the sampling signal: that one stays unblocked, and the program reads
 * back what it asked for. Returns an error number. */
static int mask(int how, const sigset_t *set, sigset_t *old_set)
{
    struct thread_own_data *own = thread_own();
    sigset_t without;
    if (!core.is_enabled || own == NULL)
        return real_pthread_sigmask(how, set, old_set);
    bool before = own->blocks_sampling_signal;
    bool after = set != NULL ? blocks_after(before, how, set) : before;
    if (set != NULL) {
        without = *set;
        if (how != SIG_UNBLOCK)
            sigdelset(&without, sampling_signal_number());
    }
    int err = real_pthread_sigmask(how, set != NULL ? &without : NULL, old_set);
    if (err != 0)
        return err;
    own->blocks_sampling_signal = after;
    if (old_set != NULL && before)
        sigaddset(old_set, sampling_signal_number());
    return 0;
}

PROFD_INTERPOSED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old_set)
{
    return mask(how, set, old_set);
}

PROFD_INTERPOSED int sigprocmask(int how, const sigset_t *set, sigset_t *old_set)
{
    int err = mask(how, set, old_set);
    if (err == 0)
        return 0;
    errno = err;
    return -1;
}

PROFD_INTERPOSED int sigaction(int number, const struct sigaction *action,
                               struct sigaction *old_action)
{
    if (core.is_enabled && number == sampling_signal_number() &&
        sampling_signal_program_action(action, old_action))
        return 0;
    return real_sigaction(number, action, old_action);
}

PROFD_INTERPOSED __sighandler_t signal(int number, __sighandler_t handler)
{
    typedef __sighandler_t signal_function(int, __sighandler_t);
    static signal_function *real;
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, old_action;
    if (core.is_enabled && number == sampling_signal_number() &&
        sampling_signal_program_action(&action, &old_action))
        return old_action.sa_handler;
    if (real == NULL)
        real = (signal_function *)real_symbol("signal");
    return real(number, handler);
}
