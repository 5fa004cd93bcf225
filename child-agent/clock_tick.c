#include "child-agent/clock_tick.h"

#include "child-agent/core.h"
#include "child-agent/dormancy.h"
#include "child-agent/groups/groups.h"
#include "child-agent/process_title.h"
#include "child-agent/resting.h"
#include "child-agent/reunion.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session.h"
#include "child-agent/threads/thread_registration.h"

/* Behind a filter there are samples, and nothing else that takes calls. */
static void take_tick_quietly(const siginfo_t *info, void *context)
{
    if (session_follow_word())
        clock_sampling_take(thread_current, info, context);
    else
        clock_sampling_skip(thread_current, info);
}

void clock_tick_take(const siginfo_t *info, void *context)
{
    if (atomic_load(&core.has_filter)) {
        take_tick_quietly(info, context);
        return;
    }
    reunion_tick();
    groups_look();
    if (core_local.is_resting) {
        resting_tick();
        return;
    }
    if (dormancy_needs_tick() && !dormancy_tick(info))
        return;
    if (session_follow_word()) {
        clock_sampling_take(thread_current, info, context);
        process_title_follow();
        sampler_run_maintenance();
    } else {
        clock_sampling_skip(thread_current, info);
    }
    resting_follow_change();
}
