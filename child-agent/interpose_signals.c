/* Interposed: the program's dealings with the sampling signal, so that they don't end sampling and
 * it does not end them. All other signals go straight through. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "child-agent/core.h"
#include "child-agent/interpose.h"
#include "child-agent/real_calls.h"
#include "child-agent/sampling_signal.h"

/* SET without the sampling signal, in *COPY, when HOW would block it; else SET. */
static const sigset_t *without_sampling(int how, const sigset_t *set, sigset_t *copy)
{
    if (!core.is_enabled || set == NULL || how == SIG_UNBLOCK)
        return set;
    *copy = *set;
    sigdelset(copy, sampling_signal_number());
    return copy;
}

PROFD_INTERPOSED int pthread_sigmask(int how, const sigset_t *set, sigset_t *old_set)
{
    sigset_t copy;
    return real_pthread_sigmask(how, without_sampling(how, set, &copy), old_set);
}

PROFD_INTERPOSED int sigprocmask(int how, const sigset_t *set, sigset_t *old_set)
{
    sigset_t copy;
    int err = real_pthread_sigmask(how, without_sampling(how, set, &copy), old_set);
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
