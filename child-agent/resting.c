#include "child-agent/resting.h"

#include <signal.h>

#include "child-agent/agent_thread.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/handler_work.h"
#include "child-agent/recording_word.h"
#include "child-agent/reunion.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_clock.h"
#include "child-agent/session.h"
#include "child-agent/session_offer.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/upcalls.h"
#include "common/apart.h"
#include "common/time_units.h"
#include "ipc/messages.h"
#include "profd_labels.h"

/* Of CPU time, between two looks at the word. */
enum { RESTING_INTERVAL_NS = 50 * NS_PER_MS };

static struct {
    resting_join *join;
    struct session_settings settings; /* of the session that is joined */
    enum sampling_clock wanted_clock; /* that it asks for */
    uint64_t left_out;                /* of its features */
} resting LARGE_APART;

static uint32_t refused; /* the session that could not be joined; 0: none */

/* --- What is offered --- */

/* What cannot be begun by a handler, or takes a thread of ours. */
#define BEYOND_HANDLERS ((uint64_t)(FEATURE_UNREGISTERED_THREADS | FEATURES_OF_ALLOCATIONS))

static bool is_new_generation(uint32_t generation)
{
    return generation != 0 && generation != refused;
}

/* What is on, as far as this process can have it: resting.settings. False when nothing is. */
static bool read_offer(void)
{
    if (!session_offer_read(&resting.settings))
        return false;
    resting.wanted_clock = resting.settings.clock;
    resting.left_out = resting.settings.features & BEYOND_HANDLERS;
    if (sampling_clock_needs_thread(resting.wanted_clock))
        resting.settings.clock = SAMPLING_CLOCK_CPU;
    resting.settings.features &= ~BEYOND_HANDLERS;
    return true;
}

const struct session_settings *resting_read_offer(void)
{
    return read_offer() ? &resting.settings : NULL;
}

/* Whether there is a session to join; resting.settings are its. */
static bool is_offered(void)
{
    return read_offer() && is_new_generation(resting.settings.generation);
}

/* --- To join --- */

static void join_in_arena(const struct session_settings *settings)
{
    if (session_start(settings) == 0)
        sampler_follow_alone();
    else
        (void)resting_begin(NULL); /* it was possible before */
}

/* What of the session cannot be had here. */
static void tell_of_rest(void)
{
    if (sampling_clock_needs_thread(resting.wanted_clock))
        clock_sampling_refuse(CLOCK_REFUSAL_ALONE);
    if (core_local.has_arena && (resting.left_out & FEATURES_OF_ALLOCATIONS))
        (void)dictionary_put_log(&core.dictionary, clock_monotonic_ns(),
                                 "allocations are not recorded: the process has one thread and "
                                 "joined a session that had begun"); /* counted when full */
}

void resting_note_rest(void)
{
    tell_of_rest();
    core_local.lacks_thread =
        resting.left_out != 0 || sampling_clock_needs_thread(resting.wanted_clock);
}

static void join_at_work(void)
{
    resting_end();
    refused = resting.settings.generation; /* not twice, if this one cannot be started */
    resting.join(&resting.settings);
    resting_note_rest();
}

static void look_for_session(void)
{
    if (is_offered())
        handler_work_do(join_at_work);
}

void resting_tick(void)
{
    if (handler_work_is_possible())
        look_for_session();
}

void resting_look(void)
{
    reunion_look();
    if (core_local.is_resting && is_new_generation(session_offer_generation()))
        handler_work_do_undisturbed(look_for_session);
}

/* --- To rest --- */

/* Without a clock markers and waits look all the same. A thread that waits for our signal itself is
 * not to find one. */
static void start_coarse_clock(void)
{
    thread_clock_stop(&thread_current->clock);
    if (!atomic_load(&thread_current->yields_signal))
        (void)thread_clock_start(&thread_current->clock, thread_current->id,
                                 thread_current->cpu_clock, sampling_signal_number(),
                                 RESTING_INTERVAL_NS);
}

int resting_begin(resting_join *join)
{
    int error = sampling_signal_install();
    if (error < 0)
        return error;
    start_coarse_clock();
    resting.join = join != NULL ? join : join_in_arena;
    core_local.is_resting = true;
    recording_word_set(PROFD_RECORDING_MARKERS); /* so that they come by, and look */
    return 0;
}

static void rest_at_work(void)
{
    core_local.lacks_thread = false; /* that was the session's affair */
    session_stop();
    if (resting_begin(NULL) == 0 && is_offered())
        join_at_work(); /* on the stack for it already */
}

/* Whether the session is another one now, or on other terms. One that is paused keeps its word. */
static bool is_changed(void)
{
    return agent_thread_is_alone() && session_is_active() && !session_is_own() &&
           !session_offer_is(session_get_settings());
}

static void renew_at_work(void)
{
    if (!read_offer())
        return; /* its terms are being written: at the next tick */
    if (session_renew(&resting.settings) == 0)
        sampler_follow_alone();
    else
        (void)resting_begin(NULL); /* it was possible before */
    resting_note_rest();
}

static void follow_change(void)
{
    handler_work_do(session_offer_generation() == session_generation() ? renew_at_work
                                                                       : rest_at_work);
}

void resting_follow_change(void)
{
    if (is_changed() && handler_work_is_possible())
        follow_change();
}

void resting_note_wait_slowly(void)
{
    resting_look();
    if (is_changed())
        handler_work_do_undisturbed(follow_change);
    /* In a handler of the program, what it interrupted may hold any lock. */
    bool wants_thread =
        core_local.misses_threads || (core_local.lacks_thread && handler_work_is_possible());
    if (wants_thread && signal_bits_are_none_blocked())
        upcall_ensure_thread();
}

void resting_end(void)
{
    core_local.lacks_thread = false;
    if (!core_local.is_resting)
        return;
    core_local.is_resting = false;
    recording_word_set(0);
    thread_clock_stop(&thread_current->clock);
}

void resting_after_fork_child(void)
{
    core_local.is_resting = core_local.lacks_thread = false;
    refused = 0;
}
