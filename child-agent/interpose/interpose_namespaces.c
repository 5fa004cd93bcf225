/* Interposed: calls that the kernel grants to processes with one thread only, as most programs that
 * make them are but for the agent. Its threads make way; the next fork or exec brings them back. */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>

#include "child-agent/census_unasked.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/one_thread.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/upcalls.h"

/* Whether the agent's threads may be why a call failed. */
static bool may_be_our_fault(int result)
{
    return result < 0 && errno == EINVAL && one_thread_is_known();
}

/* Of a call that was just made. */
static bool may_try_again(int result)
{
    return result < 0 && errno == EINVAL;
}

/* 0 is what setns() says for any of them. */
static bool may_change_pids(int flags)
{
    return flags == 0 || (flags & CLONE_NEWPID);
}

/* Calls for namespaces of the kinds FLAGS: those of FD, or new ones. */
typedef int entering(int fd, int flags);

/* MAY_WANT_ONE_THREAD: the kernel may refuse because of the agent's. What a child of vfork enters
 * is not this process' affair, though it has our memory. */
static int enter(entering *call, int fd, int flags, bool may_want_one_thread)
{
    if (!sampling_signal_is_own_process())
        return call(fd, flags);
    const int errno_before = errno;
    upcall_end_dormancy();
    if (may_change_pids(flags))
        census_unasked_end();
    int result = call(fd, flags);
    if (may_want_one_thread && may_be_our_fault(result)) {
        one_thread_stop_agent_threads();
        for (int i = 0; i < ONE_THREAD_LOOKS && (i == 0 || may_try_again(result)); i++) {
            one_thread_rest_between_looks();
            result = call(fd, flags);
        }
    }
    if (result < 0 && may_change_pids(flags))
        census_unasked_undo_end();
    if (result == 0)
        errno = errno_before; /* the program does not see that the first call was refused */
    return result;
}

static int call_unshare(int fd, int flags)
{
    typedef int unshare_function(int);
    static unshare_function *real;
    (void)fd;
    if (real == NULL)
        real = (unshare_function *)real_symbol("unshare");
    return real(flags);
}

PROFD_INTERPOSED int unshare(int flags)
{
    return enter(call_unshare, -1, flags, (flags & CLONE_NEWUSER) != 0);
}

static int call_setns(int fd, int type)
{
    static entering *real;
    if (real == NULL)
        real = (entering *)real_symbol("setns");
    return real(fd, type);
}

PROFD_INTERPOSED int setns(int fd, int type)
{
    return enter(call_setns, fd, type, type == 0 || (type & CLONE_NEWUSER) != 0);
}
