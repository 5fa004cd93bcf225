#include "child-agent/task_places.h"

#include <errno.h>
#include <stdbool.h>

#include "child-agent/agent_presence.h"
#include "child-agent/agent_thread.h"
#include "child-agent/one_thread.h"
#include "child-agent/program_call.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"

/* Whether there were threads of ours, which have ended. A child of vfork has its parent's memory,
 * and none of its own. */
static bool leave_places(void)
{
    struct program_call call;
    if (!sampling_signal_is_own_process() || program_call_begin(&call) < 0)
        return false;
    bool had_threads = agent_thread_is_running() || sampler_has_thread();
    if (had_threads) {
        agent_presence_miss_threads();
        one_thread_do_without_agent_threads();
    }
    program_call_end(&call);
    return had_threads;
}

int task_places_make(int (*make)(void *argument), void *argument)
{
    int error = make(argument);
    if (error != EAGAIN || !leave_places())
        return error;
    for (int i = 0; error == EAGAIN && i < ONE_THREAD_LOOKS; i++) {
        one_thread_rest_between_looks();
        error = make(argument);
    }
    return error;
}
