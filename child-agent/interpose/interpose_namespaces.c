/* Interposed: calls that the kernel grants to processes with one thread only, as most programs that
 * make them are but for the agent. Its threads make way; the next fork or exec brings them back. */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "child-agent/census_unasked.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/interpose/interpose_namespaces.h"
#include "child-agent/one_thread.h"
#include "child-agent/upcalls.h"

enum {
    /* A joined thread leaves the kernel's list of the process a little later. */
    NAMESPACE_TRIES = 200,
    NAMESPACE_PAUSE_NS = 500 * 1000,
};

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

static void rest_between_looks(void)
{
    const struct timespec pause = { .tv_nsec = NAMESPACE_PAUSE_NS };
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* 0 is what setns() says for any of them. */
static bool may_change_pids(int flags)
{
    return flags == 0 || (flags & CLONE_NEWPID);
}

void interpose_namespaces_note(int flags)
{
    if (may_change_pids(flags))
        census_unasked_end();
}

void interpose_namespaces_note_result(int flags, int result)
{
    if (result < 0 && may_change_pids(flags))
        census_unasked_undo_end();
}

typedef int unshare_function(int);
typedef int setns_function(int, int);

static int unshare_alone(unshare_function *real, int flags)
{
    int result = real(flags);
    if (!(flags & CLONE_NEWUSER) || !may_be_our_fault(result))
        return result;
    one_thread_stop_agent_threads();
    for (int i = 0; i < NAMESPACE_TRIES && (i == 0 || may_try_again(result)); i++) {
        rest_between_looks();
        result = real(flags);
    }
    return result;
}

PROFD_INTERPOSED int unshare(int flags)
{
    static unshare_function *real;
    if (real == NULL)
        real = (unshare_function *)real_symbol("unshare");
    upcall_end_dormancy();
    interpose_namespaces_note(flags);
    int result = unshare_alone(real, flags);
    interpose_namespaces_note_result(flags, result);
    return result;
}

static int setns_alone(setns_function *real, int fd, int type)
{
    int result = real(fd, type);
    if ((type != 0 && !(type & CLONE_NEWUSER)) || !may_be_our_fault(result))
        return result;
    one_thread_stop_agent_threads();
    for (int i = 0; i < NAMESPACE_TRIES && (i == 0 || may_try_again(result)); i++) {
        rest_between_looks();
        result = real(fd, type);
    }
    return result;
}

PROFD_INTERPOSED int setns(int fd, int type)
{
    static setns_function *real;
    if (real == NULL)
        real = (setns_function *)real_symbol("setns");
    upcall_end_dormancy();
    interpose_namespaces_note(type);
    int result = setns_alone(real, fd, type);
    interpose_namespaces_note_result(type, result);
    return result;
}
