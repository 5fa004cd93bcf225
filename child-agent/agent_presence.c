#include "child-agent/agent_presence.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "buffer/clock.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_thread.h"
#include "child-agent/arena_losses.h"
#include "child-agent/core.h"
#include "child-agent/dormancy.h"
#include "child-agent/resting.h"
#include "child-agent/reunion.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session.h"
#include "child-agent/threads/thread_registry.h"
#include "common/time_units.h"
#include "ipc/messages.h"

enum { FORGO_LOOK_NS = NS_PER_MS, FORGO_LOOKS = MS_PER_S };

#define MISSING_REST_NS NS_PER_S

static struct {
    _Atomic bool are_forgone;          /* nobody makes them any more */
    _Atomic uint32_t beginning;        /* how many threads of the program are about to */
    _Atomic bool are_giving_way;       /* the program tries again in their places */
    _Atomic bool lacks_agent;          /* the agent's thread, for want of a place */
    _Atomic uint64_t missing_since_ns; /* 0: none is missing */
} own_threads;

/* What a handler could not end where the program waits for malloc. */
static bool is_of_allocations(const struct session_settings *settings)
{
    return settings != NULL && (settings->features & FEATURES_OF_ALLOCATIONS);
}

/* Without a profd, which would keep the event of an only thread. */
static bool is_served_by_thread(void)
{
    return sampler_has_thread() ||
           (session_is_active() && session_get_settings()->clock == SAMPLING_CLOCK_PERF);
}

/* Whether the session, or that there is none, can be seen to without a thread of ours. */
static bool can_be_followed_alone(void)
{
    if (!session_is_active())
        return session_start_error() == 0;
    return !session_is_own() && !sampler_has_thread() && !is_of_allocations(session_get_settings());
}

static bool may_be_alone(const struct agent_address *address)
{
    return agent_lease_find(address->path) == 0 && agent_lease_allows_no_thread() &&
           thread_current != NULL && thread_registry_live_count() <= 1 && can_be_followed_alone();
}

/* From here on no tick sees to sessions. Returns whether the process was alone. */
static bool leave_loneliness(void)
{
    bool was_alone = core_local.is_alone;
    core_local.is_alone = false; /* first: a tick in between would have the process rest again */
    atomic_signal_fence(memory_order_seq_cst);
    if (core_local.lacks_thread)
        session_suspend(); /* profd's welcome begins it anew, with all that was asked for */
    resting_end();
    if (was_alone)
        reunion_prepare_thread();
    return was_alone;
}

static void miss_threads(void)
{
    atomic_store(&own_threads.missing_since_ns, clock_monotonic_ns());
    core_local.misses_threads = true;
}

void agent_presence_give_way(void)
{
    atomic_store(&own_threads.are_giving_way, true);
    if (agent_thread_is_running())
        atomic_store(&own_threads.lacks_agent, true);
    miss_threads();
}

/* Where they are missing, only one thread of the program tries again, after a rest. */
static bool is_time_to_begin(void)
{
    uint64_t missing_since_ns = atomic_load(&own_threads.missing_since_ns);
    if (missing_since_ns == 0)
        return true;
    uint64_t now_ns = clock_monotonic_ns();
    return now_ns - missing_since_ns >= MISSING_REST_NS &&
           atomic_compare_exchange_strong(&own_threads.missing_since_ns, &missing_since_ns, now_ns);
}

/* Where there is nobody for it to talk to, none is missing. */
static void begin_agent_thread(void)
{
    bool is_there =
        !agent_thread_has_address() || agent_thread_is_running() || agent_thread_start(NULL) == 0;
    atomic_store(&own_threads.lacks_agent, !is_there);
}

static void note_whether_missing(void)
{
    if (atomic_load(&own_threads.lacks_agent) || sampler_lacks_thread()) {
        miss_threads();
        return;
    }
    core_local.misses_threads = false;
    atomic_store(&own_threads.missing_since_ns, 0);
}

void agent_presence_return_threads(void)
{
    atomic_store(&own_threads.are_giving_way, false);
    if (atomic_load(&own_threads.are_forgone))
        return;
    if (atomic_load(&own_threads.lacks_agent))
        begin_agent_thread();
    sampler_start_thread();
    note_whether_missing();
}

static void begin_threads(void)
{
    if (!is_time_to_begin())
        return;
    if (dormancy_leave()) {
        atomic_store(&own_threads.lacks_agent, !agent_thread_is_running());
    } else if (core_local.has_arena || core_local.is_alone) {
        bool was_alone = leave_loneliness();
        if (was_alone || atomic_load(&own_threads.lacks_agent))
            begin_agent_thread();
        sampler_start_thread();
    }
    note_whether_missing();
}

void agent_presence_ensure_thread(void)
{
    /* A child that is being forked begins later; one made past the C library never does. */
    if (core_is_forking || !core_local.is_followed || atomic_load(&core.has_filter))
        return;
    atomic_fetch_add(&own_threads.beginning, 1);
    if (!atomic_load(&own_threads.are_forgone) && !atomic_load(&own_threads.are_giving_way))
        begin_threads();
    atomic_fetch_sub(&own_threads.beginning, 1);
}

void agent_presence_forgo_threads(void)
{
    static const struct timespec pause = { .tv_nsec = FORGO_LOOK_NS };
    atomic_store(&own_threads.are_forgone, true);
    for (int i = 0; i < FORGO_LOOKS && atomic_load(&own_threads.beginning) != 0; i++)
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* Whether profd heard of the process. */
static bool stay_alone(const struct agent_address *address)
{
    sampler_follow_alone(); /* first: the hello brings what it wants */
    arena_losses_note();
    if (agent_thread_introduce(address) < 0)
        return false;
    if (!session_is_active() && resting_begin(NULL) < 0)
        agent_presence_ensure_thread(); /* or nobody would see that a session begins */
    return true;
}

int agent_presence_begin(const struct agent_address *address)
{
    atomic_store(&own_threads.are_forgone, false);
    atomic_store(&own_threads.missing_since_ns, 0);
    atomic_store(&own_threads.are_giving_way, false);
    atomic_store(&own_threads.lacks_agent, false);
    core_local.misses_threads = false;
    atomic_store(&own_threads.beginning, 0); /* those were in the parent of a forked child */
    if (address->path[0] == '\0') {
        if (is_served_by_thread())
            sampler_start_thread();
        return 0;
    }
    if (may_be_alone(address) && stay_alone(address))
        return 0;
    int error = agent_thread_start(address);
    sampler_start_thread(); /* without an agent thread, it says that there is none */
    atomic_store(&own_threads.lacks_agent, error < 0);
    note_whether_missing();
    return error;
}
