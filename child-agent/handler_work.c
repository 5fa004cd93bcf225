#include "child-agent/handler_work.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "child-agent/agent_thread.h"
#include "child-agent/core.h"
#include "child-agent/counters/counters.h"
#include "child-agent/groups/group_registry.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/markers/site.h"
#include "child-agent/sampler/run_on_stack.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registry.h"
#include "common/apart.h"

enum { HANDLER_STACK_BYTES = 64 * 1024 };

/* One piece of work at a time: there is one thread, and no signal comes in between. */
static LARGE_APART _Alignas(16) uint8_t stack[HANDLER_STACK_BYTES];

static bool is_dictionary_free(void)
{
    if (!core_local.has_arena)
        return true;
    if (!dictionary_try_hold(&core.dictionary))
        return false;
    dictionary_release(&core.dictionary);
    return true;
}

/* A session's start and end take these locks, and wait for who records. A child of vfork has our
 * memory, and is another process. */
bool handler_work_is_possible(void)
{
    return !core_is_forking && sampling_signal_is_own_process() && thread_current != NULL &&
           thread_current->is_recording == 0 && thread_registry_is_free() && site_table_is_free() &&
           counters_are_free() && group_registry_is_free() && sampler_is_free() &&
           agent_thread_is_free() && is_dictionary_free();
}

static void call_work(void *argument)
{
    void (**work)(void) = argument;
    (*work)();
}

void handler_work_do(void (*work)(void))
{
    run_on_stack(stack + HANDLER_STACK_BYTES, call_work, &work);
}

void handler_work_do_undisturbed(void (*change)(void))
{
    sigset_t all, before;
    int call_errno = errno;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, &before); /* a set that is one */
    if (handler_work_is_possible())
        change();
    (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = call_errno;
}
