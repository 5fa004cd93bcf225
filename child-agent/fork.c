#include "child-agent/fork.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/single_threaded.h>

#include "child-agent/agent_lease.h"
#include "child-agent/agent_line.h"
#include "child-agent/agent_presence.h"
#include "child-agent/agent_thread.h"
#include "child-agent/census.h"
#include "child-agent/census_unasked.h"
#include "child-agent/core.h"
#include "child-agent/counters/counters.h"
#include "child-agent/dormancy.h"
#include "child-agent/fork_signals.h"
#include "child-agent/groups/group_observers.h"
#include "child-agent/groups/group_registry.h"
#include "child-agent/groups/groups.h"
#include "child-agent/groups/stopwatch.h"
#include "child-agent/guest/barrier.h"
#include "child-agent/guest/brief_descriptor.h"
#include "child-agent/guest/own_mappings.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/guest/raised_limits.h"
#include "child-agent/markers/labels.h"
#include "child-agent/markers/site.h"
#include "child-agent/process_arena.h"
#include "child-agent/program/second_session.h"
#include "child-agent/program/session_of_all.h"
#include "child-agent/program_call.h"
#include "child-agent/recording_word.h"
#include "child-agent/resting.h"
#include "child-agent/sampler/after_sampling.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/masking_handlers.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/session.h"
#include "child-agent/session_offer.h"
#include "child-agent/shutdown_profile.h"
#include "child-agent/threads/event_delay.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/unwinding/process_unwinder.h"
#include "child-agent/upcalls.h"
#include "common/apart.h"

static struct agent_address follow_address;

static __thread uint32_t was_recording; /* when the calling thread began to fork */

/* The agent's lock is held: nobody ends a session, and waits for those that record. */
static void begin_forking(void)
{
    core_is_forking = true;
    if (thread_current == NULL)
        return;
    was_recording = thread_current->is_recording;
    thread_current->is_recording = 1; /* so that recording_begin() looks closer */
}

static void end_forking(void)
{
    if (thread_current != NULL)
        thread_current->is_recording = was_recording;
    core_is_forking = false;
}

static void end_forking_in_child(void)
{
    core_is_forking = false;
}

static void clock_sampling_after_fork(void)
{
    clock_sampling_after_fork_child(thread_current);
}

/* What a part of the agent does when the process forks. */
struct fork_step {
    void (*before)(void);
    void (*in_parent)(void);
    void (*unlock)(void); /* in the child, before the program's own handlers */
    void (*in_child)(void);
};

/* From the outermost lock to the innermost, as other threads nest them; the arena's are not taken,
 * since the child gets an arena of its own. Before the fork from top to bottom, afterwards from
 * bottom to top. */
static const struct fork_step fork_steps[] = {
    { fork_signals_block, fork_signals_restore, fork_signals_restore, NULL },
    { .in_child = barrier_register },
    { .in_child = own_thread_forget_all },
    { agent_thread_before_fork, agent_thread_after_fork_parent, NULL,
      agent_thread_after_fork_child },
    { begin_forking, end_forking, NULL, NULL },
    { .in_child = process_unwinder_after_fork_child },
    { site_before_fork, site_after_fork_parent, site_unlock_in_child, site_after_fork_child },
    { sampler_before_fork, sampler_after_fork_parent, sampler_unlock_in_child, NULL },
    { .unlock = event_delay_unlock_in_child },
    { thread_registry_before_fork, thread_registry_after_fork_parent,
      thread_registry_unlock_in_child, thread_registry_after_fork_child },
    /* A thread that the registry describes for the new arena may record again. */
    { .in_child = end_forking_in_child },
    /* The registry may have a thread to describe, which is for later. */
    { .in_child = process_arena_after_fork_child },
    { .unlock = clock_sampling_after_fork },
    { .unlock = masking_handlers_after_fork_child },
    { .unlock = own_mappings_after_fork_child },
    { .unlock = brief_descriptor_after_fork_child },
    { .unlock = raised_limits_after_fork_child },
    { .unlock = sampling_signal_after_fork_child },
    { .unlock = after_sampling_after_fork_child },
    { .unlock = group_observers_after_fork_child },
    { .unlock = stopwatch_after_fork_child },
    { group_registry_before_fork, group_registry_after_fork_parent, group_registry_after_fork_child,
      NULL },
    { counters_before_fork, counters_after_fork_parent, counters_after_fork_child, NULL },
    { .unlock = recording_word_after_fork_child },
    { .unlock = session_of_all_after_fork_child },
    { .unlock = second_session_after_fork_child },
    { .unlock = program_calls_after_fork_child },
    { .in_child = sample_rooms_after_fork_child },
    { .in_child = sampler_after_fork_child },
    { .in_child = session_after_fork_child },
    { .in_child = agent_lease_after_fork_child },
    { .in_child = resting_after_fork_child },
    { .in_child = dormancy_after_fork_child },
};

enum { FORK_STEPS = sizeof(fork_steps) / sizeof(fork_steps[0]) };

static void take_step(void (*step)(void))
{
    if (step != NULL)
        step();
}

/* In a child whose fork has not come to its end: a handler of a signal forks between the program's
 * handlers of fork. The locks are free, and what there is to do is done once, by each process. */
static __thread bool is_within_fork;

static void before_fork(void)
{
    is_within_fork = core_is_forking;
    census_unasked_before_fork();
    if (!core.is_enabled || is_within_fork)
        return;
    if (!core_local.has_locks) { /* a thread of the parent's may have had them: they stay closed */
        fork_signals_block();
        core_is_forking = true;
        return;
    }
    for (int i = 0; i < FORK_STEPS; i++)
        take_step(fork_steps[i].before);
}

static void after_fork_parent(void)
{
    if (!core_is_forking || is_within_fork)
        return;
    if (!core_local.has_locks) {
        core_is_forking = false;
        fork_signals_restore();
        return;
    }
    for (int i = FORK_STEPS - 1; i >= 0; i--)
        take_step(fork_steps[i].in_parent);
}

/* Behind a filter what it takes to record may be forbidden, and may kill: what the agent has here
 * is left as it is, and nobody uses it any more. */
static void leave_alone_in_child(void)
{
    core.is_enabled = false;
    core_is_forking = false;
    fork_signals_restore();
}

/* Handlers of the program come next, which may make threads and wait for them. No memory is freed
 * yet: malloc's locks may be held until a handler of its own has run. */
static void unlock_in_child(void)
{
    if (is_within_fork)
        return;
    census_report_forked();
    if (!core_is_forking)
        return;
    if (atomic_load(&core.has_filter)) {
        leave_alone_in_child();
        return;
    }
    for (int i = FORK_STEPS - 1; i >= 0; i--)
        take_step(fork_steps[i].unlock);
    core_local.has_locks = true;
}

/* The session that is on, where that is not the parent's: one that rests, or was asleep when its
 * session ended, has not heard of it. NULL: the child goes on with the parent's. */
static const struct session_settings *find_newer_session(void)
{
    static LARGE_APART struct session_settings offered;
    const struct session_settings *inherited = session_prepared_settings();
    if (inherited != NULL &&
        (inherited->generation == SESSION_OWN_GENERATION || session_offer_is(inherited)))
        return NULL;
    return session_offer_read(&offered) ? &offered : NULL;
}

static void after_fork_child(void)
{
    if (!core_is_forking)
        return;
    for (int i = FORK_STEPS - 1; i >= 0; i--)
        take_step(fork_steps[i].in_child);
    const struct session_settings *news = find_newer_session();
    if (dormancy_begin(news, &follow_address))
        return;
    /* A child that cannot record still runs; who was to have its profile is told. */
    if (news != NULL)
        session_prepare(news);
    int error = session_start_prepared();
    if (error == 0)
        labels_after_fork_child();
    else
        shutdown_profile_cancel(error);
    (void)agent_presence_begin(&follow_address);
    groups_follow();
}

int fork_be_first(void)
{
    static _Atomic bool is_first;
    if (atomic_exchange(&is_first, true))
        return 0;
    return -pthread_atfork(before_fork, after_fork_parent, unlock_in_child);
}

int fork_follow(const struct agent_address *address)
{
    follow_address = *address;
    int error = fork_be_first();
    return error < 0 ? error : -pthread_atfork(NULL, NULL, after_fork_child);
}

bool fork_copy_begin(void)
{
    if (!core.is_enabled || !core_local.is_followed || atomic_load(&core.has_filter) ||
        !__libc_single_threaded || core_is_forking)
        return false;
    before_fork();
    return true;
}

void fork_copy_end_in_parent(void)
{
    after_fork_parent();
}

void fork_copy_end_in_child(void)
{
    unlock_in_child();
    after_fork_child();
}

void fork_prepare_for_other_root(void)
{
    int call_errno = errno;
    upcall_end_dormancy();
    if (core.is_enabled && core_local.is_followed && !atomic_load(&core.has_filter) &&
        follow_address.path[0] != '\0')
        (void)agent_line_open(&follow_address); /* without, children are listed, but not sampled */
    errno = call_errno;
}
