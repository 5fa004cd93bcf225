#include "child-agent/program_call.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "child-agent/core.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/upcalls.h"

static struct named_mutex lock = NAMED_MUTEX_INITIALIZER(PROGRAM);

int program_call_begin(struct program_call *call)
{
    if (!core.is_enabled || !core_local.is_followed)
        return -ENOSYS;
    if (atomic_load(&core.forbids_sessions))
        return -EPERM;
    if (own_thread_is(profd_current_thread_id()))
        return -EDEADLK;
    if (core_is_forking)
        return -EAGAIN;
    upcall_end_dormancy(); /* there is a session, in truth */
    if (core_local.is_resting)
        upcall_ensure_thread(); /* or one that profd begins would not be seen beside its own */
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &call->cancel_state);
    named_mutex_lock(&lock);
    return 0;
}

void program_call_end(struct program_call *call)
{
    named_mutex_unlock(&lock);
    (void)pthread_setcancelstate(call->cancel_state, NULL);
}

void program_calls_after_fork_child(void)
{
    named_mutex_reset(&lock);
}
