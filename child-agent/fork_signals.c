#include "child-agent/fork_signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "child-agent/guest/real_calls.h"

/* Of the calling thread, as the kernel has it: there is little room for what each thread has. */
static __thread uint64_t mask_before;

static bool are_ends_ignored(void)
{
    struct sigaction action;
    return real_sigaction(SIGCHLD, NULL, &action) == 0 &&
           (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
}

/* While a signal is blocked, even one that the program ignores is kept, and then wakes whichever
 * thread does not block it: an epoll_wait() elsewhere would fail because a child has ended during
 * a long fork(). What is ignored has no handler that could come in between. */
static void pass_ignored_ends_of_children(const sigset_t *mask)
{
    sigset_t ends;
    if (sigismember(mask, SIGCHLD) == 1 || !are_ends_ignored())
        return;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    (void)real_pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
    if (!are_ends_ignored()) /* another thread has just set a handler */
        (void)real_pthread_sigmask(SIG_BLOCK, &ends, NULL);
}

void fork_signals_block(void)
{
    sigset_t all, mask;
    sigfillset(&all);
    sigemptyset(&mask);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, &mask); /* fails only for what is no mask */
    memcpy(&mask_before, &mask, sizeof(mask_before));
    pass_ignored_ends_of_children(&mask);
}

void fork_signals_restore(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    memcpy(&mask, &mask_before, sizeof(mask_before));
    (void)real_pthread_sigmask(SIG_SETMASK, &mask, NULL);
}
