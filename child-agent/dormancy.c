#include "child-agent/dormancy.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>

#include "buffer/lease_ledger.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_thread.h"
#include "child-agent/arena_losses.h"
#include "child-agent/census.h"
#include "child-agent/guest/descriptor.h"
#include "child-agent/handler_work.h"
#include "child-agent/markers/labels.h"
#include "child-agent/process_arena.h"
#include "child-agent/process_title.h"
#include "child-agent/resting.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_clock.h"
#include "child-agent/session.h"
#include "child-agent/session_offer.h"
#include "child-agent/shutdown_profile.h"
#include "child-agent/threads/thread_registry.h"
#include "ipc/messages.h"
#include "profd_counters.h"

enum dormancy_state {
    DORMANCY_AWAKE = 0, /* or never dormant */
    DORMANCY_DORMANT,
    DORMANCY_UNHEARD,  /* it records, and profd has not got its hello */
    DORMANCY_FORSAKEN, /* its session was over before there was anything to record */
};

/* How many ticks go by at most until there are descriptors. */
enum { MOST_WAITS = 8 };

static struct {
    enum dormancy_state state;
    unsigned waits; /* for descriptors */
    struct agent_address address;
} dormancy;

static void enter_state(enum dormancy_state next)
{
    switch (next) {
    case DORMANCY_DORMANT:
        assert(dormancy.state == DORMANCY_AWAKE || dormancy.state == DORMANCY_FORSAKEN);
        break;
    case DORMANCY_UNHEARD:
    case DORMANCY_FORSAKEN:
        assert(dormancy.state == DORMANCY_DORMANT);
        break;
    case DORMANCY_AWAKE:
        assert(dormancy.state == DORMANCY_UNHEARD || dormancy.state == DORMANCY_FORSAKEN);
        break;
    }
    dormancy.state = next;
    core_local.is_dormant = next == DORMANCY_DORMANT;
    core_local.is_unheard = next == DORMANCY_UNHEARD;
}

/* --- To sleep --- */

/* Whether a tick of its own clock is soon enough for what SETTINGS ask of the process. */
static bool can_wait_for_tick(const struct session_settings *settings)
{
    static const uint64_t impatient = FEATURE_UNREGISTERED_THREADS | FEATURES_OF_ALLOCATIONS;
    return !sampling_clock_needs_thread(settings->clock) && (settings->features & FEATURE_STACKS) &&
           !(settings->features & impatient) && settings->filters[0] == '\0' &&
           settings->marker_triggers[0] == '\0';
}

/* A thread that has counted goes on without asking, also in a forked child. What has a title is no
 * short step of a script, and only its arena would show it. */
static bool can_wait(const struct session_settings *settings)
{
    return thread_current != NULL && thread_registry_live_count() <= 1 &&
           !atomic_load(&core.is_filtered) && profd_counter_cells_ == NULL &&
           !process_title_exists() && !shutdown_profile_is_wanted() && can_wait_for_tick(settings);
}

static int arm_clock(const struct session_settings *settings)
{
    int error = sampling_signal_install();
    if (error < 0)
        return error;
    uint64_t interval_ns =
        thread_clock_timer_interval_ns(settings->interval_ns, thread_clock_tick_ns());
    error = thread_clock_start(&thread_current->clock, thread_current->id,
                               thread_current->cpu_clock, sampling_signal_number(), interval_ns);
    if (error == 0)
        thread_clock_count(&thread_current->clock, core_local.cpu_before_exec_ns,
                           clock_read_ns(thread_current->cpu_clock));
    return error;
}

static void disarm_clock(void)
{
    thread_clock_stop(&thread_current->clock);
    thread_clock_end_count(&thread_current->clock);
}

/* A session that is over is none, in a forked child too. */
static bool has_session(const struct session_settings *settings)
{
    if (settings != NULL)
        session_prepare(settings);
    if (session_prepared_is_current())
        return true;
    session_forget_prepared();
    return false;
}

bool dormancy_begin(const struct session_settings *settings, const struct agent_address *address)
{
    const struct session_settings *wanted =
        settings != NULL ? settings : session_prepared_settings();
    if (wanted == NULL || !agent_lease_allows_no_thread() || !can_wait(wanted) ||
        !has_session(settings) || arm_clock(wanted) < 0)
        return false;
    if (!census_report_present(wanted->generation)) {
        disarm_clock();
        thread_clock_forget_count(&thread_current->clock); /* a session counts all of it */
        return false;
    }
    dormancy.address = *address;
    enter_state(DORMANCY_DORMANT);
    session_invite_records();
    return true;
}

void dormancy_after_fork_child(void)
{
    dormancy.state = DORMANCY_AWAKE; /* the parent's was another process' */
    dormancy.waits = 0;
    core_local.is_dormant = core_local.is_unheard = false;
}

/* --- To wake --- */

/* The last descriptor is the program's: an arena that cannot be handed over, for which a second one
 * would take a socket, keeps its memory only. The only thread of the program, which sees nothing of
 * what is opened here. */
static bool leaves_descriptors(void)
{
    if (!core_local.has_arena)
        return true;
    bool has_file = descriptor_is_ours(DESCRIPTOR_ARENA);
    if (descriptor_has_room(has_file ? 1 : 2))
        return process_arena_renew() == 0;
    descriptor_close(DESCRIPTOR_ARENA);
    core.arena.fd = -1;
    return false;
}

static void introduce_process(void)
{
    arena_losses_note();
    if (!leaves_descriptors())
        return; /* once there are some */
    if (agent_thread_introduce(&dormancy.address) == 0)
        enter_state(DORMANCY_AWAKE);
}

/* The session may have got other terms since this process fell asleep. Returns whether it begins on
 * such. */
static bool follow_terms(void)
{
    const struct session_settings *prepared = session_prepared_settings();
    const struct session_settings *offered =
        prepared != NULL && !session_offer_is(prepared) ? resting_read_offer() : NULL;
    if (offered != NULL)
        session_prepare(offered);
    return offered != NULL;
}

/* A session that cannot be started is told of by the hello. */
static void wake_at_work(void)
{
    bool has_other_terms = follow_terms();
    uint32_t generation = session_last_settings()->generation;
    if (session_start_prepared() == 0) {
        if (has_other_terms)
            resting_note_rest();
        labels_after_fork_child();
        (void)session_follow_word();
        sampler_follow_alone();
    } else {
        disarm_clock();
    }
    introduce_process();
    if (dormancy.state == DORMANCY_UNHEARD)
        census_report_woken(generation);
}

static void wake_process(void)
{
    enter_state(DORMANCY_UNHEARD);
    handler_work_do(wake_at_work);
}

/* There is another session. On the stack for such work already. */
static void wake_for_session(const struct session_settings *settings)
{
    session_prepare(settings);
    enter_state(DORMANCY_DORMANT);
    enter_state(DORMANCY_UNHEARD);
    wake_at_work();
}

static void become_forsaken(void)
{
    disarm_clock();
    session_forget_prepared();
    enter_state(DORMANCY_FORSAKEN);
    if (resting_begin(wake_for_session) == 0) /* else it stays so: nobody would look */
        resting_tick();
}

static void wake_or_forsake(void)
{
    if (!core_local.is_dormant)
        return;
    if (session_prepared_is_current())
        wake_process();
    else
        become_forsaken();
}

void dormancy_wake(void)
{
    handler_work_do_undisturbed(wake_or_forsake);
}

static void retry_introduction(void)
{
    if (dormancy.state == DORMANCY_UNHEARD)
        handler_work_do(introduce_process);
}

void dormancy_prepare_leaving(void)
{
    process_title_follow();
    if (core_local.is_unheard)
        handler_work_do_undisturbed(retry_introduction);
}

/* A child of vfork has its parent's memory; it is not its parent that ends. */
void dormancy_prepare_end(void)
{
    dormancy_prepare_leaving();
    if (core_local.is_dormant && !core_local.is_awaited && sampling_signal_is_own_process())
        census_report_leaving();
}

/* The thread that is about to be has a table of its own, which takes it along. */
static void take_arena_back(void)
{
    (void)process_arena_renew(); /* else nothing can be handed over, and the program goes on */
}

bool dormancy_leave(void)
{
    if (core_local.is_dormant)
        dormancy_wake();
    if (dormancy.state != DORMANCY_UNHEARD && dormancy.state != DORMANCY_FORSAKEN)
        return false;
    resting_end();
    enter_state(DORMANCY_AWAKE);
    if (core_local.has_arena)
        handler_work_do_undisturbed(take_arena_back);
    (void)agent_thread_start(&dormancy.address); /* without, the process goes on as it was */
    sampler_start_thread();
    return true;
}

/* A child that is about to close what its parent had open may have none at first. */
static bool waits_for_descriptors(void)
{
    enum { OF_ARENA_AND_SOCKET = 2 };
    if (dormancy.waits >= MOST_WAITS || descriptor_has_room(OF_ARENA_AND_SOCKET))
        return false;
    dormancy.waits++;
    return true;
}

bool dormancy_tick(const siginfo_t *info)
{
    if (!core_local.is_dormant) {
        if (handler_work_is_possible())
            retry_introduction();
        return true;
    }
    if (!handler_work_is_possible()) {
        clock_sampling_wait(thread_current, info);
        return false;
    }
    if (!session_prepared_is_current()) {
        become_forsaken();
    } else if (session_prepared_is_paused()) {
        clock_sampling_skip(thread_current, info);
    } else if (waits_for_descriptors()) {
        clock_sampling_wait(thread_current, info);
    } else {
        wake_process();
        return true;
    }
    return false;
}
