#include "child-agent/fork_signals.h"

#include <signal.h>
#include <stdbool.h>

#include "child-agent/guest/real_calls.h"

static __thread sigset_t mask_before; /* the calling thread's fork(), and its child's */

static bool are_ends_ignored(void)
{
    struct sigaction action;
    return real_sigaction(SIGCHLD, NULL, &action) == 0 &&
           (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
}

/* While a signal is blocked, even one that the program ignores is kept, and then wakes whichever
 * thread does not block it: an epoll_wait() elsewhere would fail because a child has ended during
 * a long fork(). What is ignored has no handler that could come in between. */
static void pass_ignored_ends_of_children(void)
{
    sigset_t ends;
    if (sigismember(&mask_before, SIGCHLD) == 1 || !are_ends_ignored())
        return;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    (void)real_pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
    if (!are_ends_ignored()) /* another thread has just set a handler */
        (void)real_pthread_sigmask(SIG_BLOCK, &ends, NULL);
}

void fork_signals_block(void)
{
    sigset_t all;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all,
                               &mask_before); /* fails only for what is no mask */
    pass_ignored_ends_of_children();
}

void fork_signals_restore(void)
{
    (void)real_pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
}
