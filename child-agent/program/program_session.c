/* Sessions that the program begins and ends itself: the calls of profd_session.h that change one.
 */
#include <errno.h>
#include <stddef.h>

#include "child-agent/agent_thread.h"
#include "child-agent/core.h"
#include "child-agent/one_thread.h"
#include "child-agent/process_arena.h"
#include "child-agent/program/second_session.h"
#include "child-agent/program/session_of_all.h"
#include "child-agent/program/session_options.h"
#include "child-agent/program_call.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session.h"
#include "child-agent/session_bounds.h"
#include "child-agent/upcalls.h"
#include "common/apart.h"

/* Makes CHANGE while profd changes nothing. */
static int change_held(int (*change)(const struct session_settings *settings),
                       const struct session_settings *settings)
{
    if (!agent_thread_hold())
        return -EAGAIN;
    int error = change(settings);
    agent_thread_release();
    return error;
}

/* One of the changes that take no settings. */
static int change_session(int (*change)(const struct session_settings *settings),
                          int (*change_of_all)(void))
{
    struct program_call call;
    int error = program_call_begin(&call);
    if (error < 0)
        return error;
    error = session_of_all_is_active() ? change_of_all() : change_held(change, NULL);
    program_call_end(&call);
    return error;
}

static int ensure_arena(const struct session_settings *settings)
{
    if (!core_local.has_arena && settings->limit_bytes > SESSION_DEFAULT_LIMIT_BYTES)
        process_arena_set_room(settings->limit_bytes);
    return one_thread_make_arena();
}

static int start_own_session(const struct session_settings *settings)
{
    if (session_is_active())
        return session_is_own() ? -EALREADY : second_session_start(settings);
    int error = session_start(settings);
    if (error == 0)
        sampler_start_thread();
    return error;
}

static int check_own(void)
{
    if (!session_is_active())
        return -ESRCH;
    return session_is_own() ? 0 : -EBUSY;
}

static int stop_own_session(const struct session_settings *settings)
{
    (void)settings;
    if (second_session_stop() == 0)
        return 0;
    int error = check_own();
    if (error == 0)
        session_stop();
    return error;
}

static int pause_session(const struct session_settings *settings)
{
    (void)settings;
    int error = check_own();
    if (error == 0)
        session_pause();
    return error;
}

static int resume_own_session(const struct session_settings *settings)
{
    (void)settings;
    int error = check_own();
    if (error == 0)
        session_resume();
    return error;
}

/* Of all, but not where profd or its user has ended it. */
static bool has_session(void)
{
    uint64_t since_ns;
    return session_is_own() || second_session_get(&since_ns) != NULL ||
           (session_of_all_is_active() && session_is_active());
}

static int begin_session(const struct profd_session_options *options,
                         struct session_settings *settings)
{
    if (options != NULL && options->scope == PROFD_SESSION_OF_ALL) {
        settings->limit_bytes = options->limit_bytes;
        return session_of_all_start(settings);
    }
    int error = ensure_arena(settings);
    return error < 0 ? error : change_held(start_own_session, settings);
}

int profd_session_start(const struct profd_session_options *options)
{
    static LARGE_APART struct session_settings settings; /* one call at a time */
    struct program_call call;
    int error = program_call_begin(&call);
    if (error < 0)
        return error;
    error = session_options_read(options, &settings);
    if (error == 0)
        error = has_session() ? -EALREADY : begin_session(options, &settings);
    program_call_end(&call);
    return error;
}

int profd_session_stop(void)
{
    return change_session(stop_own_session, session_of_all_stop);
}

int profd_session_pause(void)
{
    return change_session(pause_session, session_of_all_pause);
}

int profd_session_resume(void)
{
    return change_session(resume_own_session, session_of_all_resume);
}

bool profd_is_active(void)
{
    upcall_end_dormancy();
    return core_local.recording_generation != 0;
}
