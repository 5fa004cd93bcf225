#include "child-agent/session.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "child-agent/agent_lease.h"
#include "child-agent/allocations/allocations.h"
#include "child-agent/core.h"
#include "child-agent/counters/counters.h"
#include "child-agent/groups/groups.h"
#include "child-agent/guest/barrier.h"
#include "child-agent/markers/marker_triggers.h"
#include "child-agent/process_arena.h"
#include "child-agent/recording.h"
#include "child-agent/recording_word.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/session_inside.h"
#include "child-agent/threads/thread_registry.h"
#include "common/apart.h"
#include "common/time_units.h"
#include "ipc/messages.h"

enum { SESSION_QUIET_POLL_NS = 200 * NS_PER_US };

/* Sessions of this process by its own count: a daemon that was restarted counts from 1 again. */
static uint32_t last_recording;
static int start_error;            /* of the latest session */
static uint64_t finer_interval_ns; /* than the session's own, for a second one; 0: none */

bool session_was_ended(void)
{
    return last_recording != 0 && start_error == 0 && !session_has_records();
}

/* What is recorded of each thread that passes the filters. */
static uint32_t thread_features(const struct session_settings *settings)
{
    uint32_t features = 0;
    if (settings->features & FEATURE_CPU)
        features |= PROFD_THREAD_CPU;
    if (settings->features & FEATURE_STACKS)
        features |= PROFD_THREAD_SAMPLING;
    if (settings->features & FEATURE_MARKERS)
        features |= PROFD_THREAD_MARKERS;
    if (settings->features & FEATURE_NATIVEALLOCS)
        features |= PROFD_THREAD_ALLOCATIONS;
    return features;
}

/* A session that goes on with what another one recorded began with that. */
static void describe_in_arena(const struct session_settings *settings)
{
    struct arena_header *header = core.arena.header;
    if (recording_manager == NULL)
        atomic_store(&header->session_start_ns, clock_monotonic_ns());
    atomic_store(&header->interval_ns, settings->interval_ns);
    atomic_store(&header->generation, settings->generation);
    atomic_store(&header->is_recording, 1);
}

/* Nobody records into the arena any more, or is to. */
static void close_arena(struct chunk_manager *manager)
{
    atomic_store(&core.arena.header->is_recording, 0);
    session_now.settings.generation = 0;
    thread_registry_set_profiled("", 0);
    sample_rooms_close();
    chunk_manager_set_update_callback(manager, NULL, NULL);
}

/* The last step of a session, and of one that could not be started. Nothing of it can be captured
 * any more, so its memory is for others now. */
static void end_recording(void)
{
    struct chunk_manager *manager = recording_manager;
    recording_manager =
        NULL; /* first: another thread may fork now, and its child frees what is here */
    close_arena(manager);
    chunk_manager_discard_all(manager);
    chunk_manager_destroy(manager);
}

/* That of a suspended session, or a new one. */
static int get_manager(const struct session_settings *settings, struct chunk_manager **out)
{
    *out = recording_manager;
    if (recording_manager != NULL)
        return chunk_manager_continue(recording_manager, settings->generation,
                                      settings->limit_bytes);
    return chunk_manager_create(&core.arena, settings->generation, settings->limit_bytes, out);
}

static void follow_finer_interval(void)
{
    uint64_t own_ns = session_now.settings.interval_ns;
    sampler_set_interval(finer_interval_ns != 0 && finer_interval_ns < own_ns ? finer_interval_ns
                                                                              : own_ns);
}

void session_set_finer_interval(uint64_t interval_ns)
{
    finer_interval_ns = interval_ns;
    if (session_is_active())
        follow_finer_interval();
}

/* Starts a session that its records know as RECORDING. */
static int start_recording(const struct session_settings *settings, uint32_t recording)
{
    struct chunk_manager *manager = NULL;
    int error = process_arena_make();
    if (error == 0)
        error = process_arena_lease();
    if (error == 0)
        error = marker_triggers_set(settings->marker_triggers);
    if (error == 0)
        error = sampling_signal_install();
    if (error == 0)
        error = get_manager(settings, &manager);
    if (error < 0)
        return error;
    describe_in_arena(settings);
    session_describe_pauses(settings);
    session_settings_copy(&session_now.settings, settings);
    recording_manager = manager;
    error = sample_rooms_open(manager);
    if (error == 0)
        error = sampler_start(&session_now.settings, manager);
    if (error < 0)
        goto cleanup;
    if (finer_interval_ns != 0)
        follow_finer_interval();
    thread_registry_set_profiled(settings->filters, thread_features(settings));
    core_local.recording_generation = recording;
    session_open_recording(settings->is_paused);
    groups_ask(GROUPS_FOR_SESSION, settings->features & FEATURE_GROUPS ? GROUP_NEEDS_USUAL : 0);
    allocations_start(settings, recording);
    return 0;

cleanup:
    end_recording();
    return error;
}

void session_count(void)
{
    last_recording = last_recording == UINT32_MAX ? 1 : last_recording + 1;
}

int session_start_counted(const struct session_settings *settings)
{
    start_error = start_recording(settings, last_recording);
    return start_error;
}

int session_start(const struct session_settings *settings)
{
    if (session_is_active())
        session_stop();
    session_count();
    finer_interval_ns = 0;
    return session_start_counted(settings);
}

int session_start_error(void)
{
    return start_error;
}

/* Once no thread can begin to record, waits for those that had begun. */
static void wait_until_quiet(void)
{
    static const struct timespec pause = { .tv_nsec = SESSION_QUIET_POLL_NS };
    barrier_all_threads();
    while (!thread_registry_is_quiet())
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

static void stop_recording(void)
{
    allocations_stop();
    recording_word_set(0);
    core_local.recording_generation = 0;
    groups_ask(GROUPS_FOR_SESSION, 0);
    wait_until_quiet();
    sampler_stop();
    session_end_pauses(&session_now.settings);
}

void session_stop(void)
{
    if (!session_is_active())
        return;
    stop_recording();
    end_recording();
}

void session_suspend(void)
{
    if (!session_is_active())
        return;
    stop_recording();
    close_arena(recording_manager);
    chunk_manager_close_all(recording_manager);
}

void session_discard_unwanted(void)
{
    struct session_word word;
    bool is_suspended = session_has_records() && !session_is_active();
    if (is_suspended && agent_lease_read_session(&word) &&
        word.generation != atomic_load(&core.arena.header->generation))
        end_recording();
}

/* Stacks of labels and counts that nobody keeps up for a while would be wrong for the rest of the
 * recording. */
static uint64_t features_to_keep(uint64_t before)
{
    return before & (FEATURE_LABELS | FEATURE_COUNTERS);
}

/* Has the sampler go on by the session's settings, which were BEFORE's. */
static int renew_sampler(const struct session_settings *before)
{
    const struct session_settings *after = &session_now.settings;
    bool are_threads_the_same = !before->is_paused && !before->is_sampling_paused &&
                                strcmp(before->filters, after->filters) == 0;
    int error = sampler_start(&session_now.settings, recording_manager);
    if (error < 0)
        return error;
    thread_registry_set_profiled(after->filters, thread_features(after));
    sampler_resume(are_threads_the_same);
    if (finer_interval_ns != 0)
        follow_finer_interval();
    return 0;
}

/* What is recorded otherwise than by the sampler goes on all the while. */
static int renew_terms(const struct session_settings *before,
                       const struct session_settings *settings)
{
    recording_word_set(session_recording_bits(
        before->features & (settings->features | features_to_keep(before->features)),
        before->is_paused || settings->is_paused));
    sampler_stop();
    session_end_pauses(before);
    session_settings_copy(&session_now.settings, settings);
    session_now.settings.features |= features_to_keep(before->features);
    describe_in_arena(&session_now.settings);
    session_describe_pauses(&session_now.settings);
    int error =
        chunk_manager_continue(recording_manager, settings->generation, settings->limit_bytes);
    if (error == 0 && strcmp(before->marker_triggers, settings->marker_triggers) != 0)
        error = marker_triggers_set(settings->marker_triggers);
    if (error == 0)
        error = renew_sampler(before);
    if (error < 0)
        return error;
    session_open_recording(settings->is_paused);
    groups_ask(GROUPS_FOR_SESSION, settings->features & FEATURE_GROUPS ? GROUP_NEEDS_USUAL : 0);
    allocations_change(before, &session_now.settings, core_local.recording_generation);
    return 0;
}

int session_renew(const struct session_settings *settings)
{
    static LARGE_APART struct session_settings before; /* too large for the stack of a handler */
    session_settings_copy(&before, &session_now.settings);
    start_error = renew_terms(&before, settings);
    if (start_error < 0)
        session_suspend();
    return start_error;
}

int session_move_lease(struct lease_ledger *ledger)
{
    int error = dictionary_move_lease(&core.dictionary, ledger);
    if (recording_manager == NULL)
        return error;
    if (error < 0)
        end_recording(); /* chunks are worth nothing without the names of their threads */
    else
        chunk_manager_pay_anew(recording_manager);
    return error;
}

int session_add_marker_triggers(const char *lines)
{
    if (!session_is_active() || marker_triggers_are_set())
        return 0;
    strcpy(session_now.settings.marker_triggers, lines); /* both of TRIGGER_LINES_BYTES */
    return marker_triggers_set(lines);
}

void session_flush(void)
{
    if (session_is_active())
        sampler_flush();
}

void session_after_fork_child(void)
{
    allocations_after_fork_child();
    recording_word_set(0);
    core_local.recording_generation = 0;
    finer_interval_ns = 0;    /* a second session was the parent's */
    recording_manager = NULL; /* unforked pages */
}
