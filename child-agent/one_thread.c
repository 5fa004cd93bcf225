#include "child-agent/one_thread.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "child-agent/agent_presence.h"
#include "child-agent/agent_thread.h"
#include "child-agent/core.h"
#include "child-agent/process_arena.h"
#include "child-agent/program_call.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session.h"
#include "child-agent/threads/thread_registry.h"
#include "common/time_units.h"

bool one_thread_is_known(void)
{
    return core.is_enabled && thread_registry_live_count() <= 1;
}

void one_thread_stop_agent_threads(void)
{
    (void)agent_thread_stop();
    sampler_stop();
}

void one_thread_rest_between_looks(void)
{
    static const struct timespec pause = { .tv_nsec = 500 * NS_PER_US };
    int saved_errno = errno;
    /* Past the library's own, which is a place to look for sessions, and to be cancelled. */
    (void)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
    errno = saved_errno;
}

void one_thread_do_without_agent_threads(void)
{
    if (!agent_thread_is_running() && !sampler_has_thread())
        return;
    one_thread_stop_agent_threads();
    if (session_is_active() &&
        sampler_start(session_get_settings(), session_chunk_manager()) == 0) /* else no samples */
        clock_sampling_note_thread(false);
}

int one_thread_around(int (*change)(void *argument), void *argument)
{
    if (!agent_thread_is_running() && !sampler_has_thread())
        return change(argument);
    agent_presence_give_way();
    one_thread_stop_agent_threads();
    int result = change(argument);
    int change_errno = errno;
    if (session_is_active())
        (void)sampler_start(session_get_settings(), session_chunk_manager()); /* or no samples */
    agent_presence_return_threads();
    errno = change_errno;
    return result;
}

static int make_arena(void *unused)
{
    (void)unused;
    return process_arena_make();
}

int one_thread_make_arena(void)
{
    return core_local.has_arena ? 0 : one_thread_around(make_arena, NULL);
}

int one_thread_make_shared_arena(void)
{
    struct program_call call;
    int error = program_call_begin(&call);
    if (error < 0)
        return error;
    error = one_thread_make_arena();
    program_call_end(&call);
    return error;
}
