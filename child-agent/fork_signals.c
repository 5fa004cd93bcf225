#include "child-agent/fork_signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/signal_bits.h"

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
static void pass_ignored_ends_of_children(uint64_t mask)
{
    uint64_t ends = signal_bit(SIGCHLD);
    if ((mask & ends) != 0 || !are_ends_ignored())
        return;
    (void)signal_bits_change_mask(SIG_UNBLOCK, ends);
    if (!are_ends_ignored()) /* another thread has just set a handler */
        (void)signal_bits_change_mask(SIG_BLOCK, ends);
}

void fork_signals_block(void)
{
    mask_before = signal_bits_change_mask(SIG_SETMASK, signal_bits_all());
    pass_ignored_ends_of_children(mask_before);
}

void fork_signals_restore(void)
{
    (void)signal_bits_change_mask(SIG_SETMASK, mask_before);
}
