#include "child-agent/dormancy.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "buffer/lease_ledger.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_thread.h"
#include "child-agent/census.h"
#include "child-agent/interpose/real_calls.h"
#include "child-agent/markers/labels.h"
#include "child-agent/markers/site.h"
#include "child-agent/process_title.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/run_on_stack.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_clock.h"
#include "child-agent/shutdown_profile.h"
#include "child-agent/threads/thread_registry.h"
#include "ipc/messages.h"
#include "profd_counters.h"

enum { WAKING_STACK_BYTES = 64 * 1024 };

enum dormancy_state {
    DORMANCY_AWAKE = 0, /* or never dormant */
    DORMANCY_DORMANT,
    DORMANCY_UNHEARD,  /* it records, and profd has not got its hello */
    DORMANCY_FORSAKEN, /* its session was over before there was anything to record */
};

static struct {
    enum dormancy_state state;
    pid_t pid; /* a child of vfork has our memory, and is not to be woken */
    struct agent_address address;
    /* Threads of the program may be on the stack of a coroutine. One at a time: there is only one
     * as long as the process is dormant or unheard. */
    _Alignas(16) uint8_t stack[WAKING_STACK_BYTES];
} dormancy;

static void move_to(enum dormancy_state next)
{
    switch (next) {
    case DORMANCY_DORMANT:
        assert(dormancy.state == DORMANCY_AWAKE);
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
    core_own.is_dormant = next == DORMANCY_DORMANT;
    core_own.is_unheard = next == DORMANCY_UNHEARD;
}

/* --- To sleep --- */

/* Whether a tick of its own clock is soon enough for what SETTINGS ask of the process. */
static bool can_wait_for_tick(const struct session_settings *settings)
{
    static const uint64_t impatient =
        FEATURE_UNREGISTERED_THREADS | FEATURE_NATIVEALLOCS | FEATURE_MEMORY;
    return (settings->clock == SAMPLING_CLOCK_AUTO || settings->clock == SAMPLING_CLOCK_CPU) &&
           (settings->features & FEATURE_STACKS) && !(settings->features & impatient) &&
           settings->filters[0] == '\0' && settings->marker_triggers[0] == '\0';
}

/* A thread that has counted goes on without asking, also in a forked child. What has a title is no
 * short step of a script, and only its arena would show it. */
static bool can_wait(const struct session_settings *settings)
{
    return thread_current != NULL && thread_registry_live_count() <= 1 &&
           !atomic_load(&core.is_filtered) && profd_counter_cells_ == NULL &&
           !process_title_exists() && !shutdown_profile_is_wanted() && can_wait_for_tick(settings);
}

/* profd hears the ring, and asks for no thread. */
static bool is_heard_without_hello(void)
{
    struct lease_ledger *ledger;
    return agent_lease_get(&ledger) == 0 && ledger != NULL &&
           atomic_load(&ledger->header->may_be_alone) != 0;
}

static int arm_clock(const struct session_settings *settings)
{
    int err = sampling_signal_install();
    if (err < 0)
        return err;
    uint64_t interval_ns =
        thread_clock_timer_interval_ns(settings->interval_ns, thread_clock_tick_ns());
    return thread_clock_start(&thread_current->clock, thread_current->id, thread_current->cpu_clock,
                              sampling_signal_number(), interval_ns, true);
}

/* A session that is over is none, in a forked child too. */
static bool has_session(const struct session_settings *settings)
{
    if (settings != NULL)
        session_prepare(settings);
    if (session_prepared_is_on())
        return true;
    session_forget_prepared();
    return false;
}

bool dormancy_begin(const struct session_settings *settings, const struct agent_address *address)
{
    const struct session_settings *wanted =
        settings != NULL ? settings : session_prepared_settings();
    if (wanted == NULL || !is_heard_without_hello() || !can_wait(wanted) ||
        !has_session(settings) || arm_clock(wanted) < 0)
        return false;
    if (!census_tell_present()) {
        thread_clock_stop(&thread_current->clock);
        return false;
    }
    dormancy.address = *address;
    dormancy.pid = getpid();
    move_to(DORMANCY_DORMANT);
    session_invite_records();
    return true;
}

void dormancy_after_fork_child(void)
{
    dormancy.state = DORMANCY_AWAKE; /* the parent's was another process' */
    core_own.is_dormant = core_own.is_unheard = false;
}

/* --- To wake --- */

static void introduce(void *unused)
{
    (void)unused;
    if (agent_thread_introduce(&dormancy.address) == 0)
        move_to(DORMANCY_AWAKE);
}

/* A session that cannot be started is told of by the hello. */
static void wake_at_work(void *unused)
{
    if (session_start_prepared() == 0) {
        labels_after_fork_child();
        (void)session_follow_word();
    } else {
        thread_clock_stop(&thread_current->clock);
    }
    introduce(unused);
    if (dormancy.state == DORMANCY_UNHEARD)
        census_tell_woken();
}

static void do_on_stack(void (*work)(void *unused))
{
    run_on_stack(dormancy.stack + WAKING_STACK_BYTES, work, NULL);
}

static void wake(void)
{
    move_to(DORMANCY_UNHEARD);
    do_on_stack(wake_at_work);
}

static void forsake(void)
{
    thread_clock_stop(&thread_current->clock);
    session_forget_prepared();
    move_to(DORMANCY_FORSAKEN);
}

/* Locks are what a session's start takes; whoever a handler interrupted may hold them. */
static bool is_good_place(void)
{
    return !core_is_forking && dormancy.pid == getpid() && thread_registry_is_free() &&
           site_table_is_free();
}

/* Does CHANGE with all signals blocked, where it can be done. */
static void change_undisturbed(void (*change)(void))
{
    sigset_t all, before;
    int call_errno = errno;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, &before); /* a set that is one */
    if (is_good_place())
        change();
    (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = call_errno;
}

static void wake_or_forsake(void)
{
    if (!core_own.is_dormant)
        return;
    if (session_prepared_is_on())
        wake();
    else
        forsake();
}

void dormancy_wake(void)
{
    change_undisturbed(wake_or_forsake);
}

static void try_again(void)
{
    if (dormancy.state == DORMANCY_UNHEARD)
        do_on_stack(introduce);
}

void dormancy_say_last_words(void)
{
    process_title_follow();
    if (core_own.is_unheard)
        change_undisturbed(try_again);
}

bool dormancy_leave(void)
{
    dormancy_end();
    if (dormancy.state != DORMANCY_UNHEARD && dormancy.state != DORMANCY_FORSAKEN)
        return false;
    move_to(DORMANCY_AWAKE);
    sampler_start_thread();
    (void)agent_thread_start(&dormancy.address); /* without, the process goes on as it was */
    return true;
}

bool dormancy_tick(const siginfo_t *info)
{
    if (!core_own.is_dormant) {
        if (is_good_place())
            try_again();
        return true;
    }
    if (!is_good_place()) {
        clock_sampling_wait(thread_current, info);
        return false;
    }
    if (!session_prepared_is_on()) {
        forsake();
    } else if (session_prepared_is_paused()) {
        clock_sampling_skip(thread_current, info, NULL);
    } else {
        wake();
        return true;
    }
    return false;
}
