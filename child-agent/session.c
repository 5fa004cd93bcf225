#include "child-agent/session.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "buffer/session_word.h"
#include "child-agent/agent_lease.h"
#include "child-agent/allocations/allocations.h"
#include "child-agent/core.h"
#include "child-agent/counters/counters.h"
#include "child-agent/front/recording_word.h"
#include "child-agent/groups/groups.h"
#include "child-agent/guest/barrier.h"
#include "child-agent/markers/marker_triggers.h"
#include "child-agent/process_arena.h"
#include "child-agent/recording.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registry.h"
#include "ipc/messages.h"

enum { SESSION_QUIET_POLL_NS = 200 * 1000 };

static struct {
    struct session_settings settings; /* generation 0: no session, they are the latest one's */
    struct chunk_manager *manager;    /* without a session: of one that is suspended, or NULL */
} session;

/* Sessions of this process by its own count: a daemon that was restarted counts from 1 again. */
static uint32_t last_recording;
static int start_error;            /* of the latest session */
static uint64_t finer_interval_ns; /* than the session's own, for a second one; 0: none */

bool session_is_active(void)
{
    return session.settings.generation != 0 && core_own.has_arena;
}

bool session_is_own(void)
{
    return session_is_active() && session.settings.generation == SESSION_OWN_GENERATION;
}

uint32_t session_generation(void)
{
    return session.settings.generation;
}

struct chunk_manager *session_chunk_manager(void)
{
    return session.manager;
}

const struct session_settings *session_get_settings(void)
{
    return session_is_active() ? &session.settings : NULL;
}

bool session_has_records(void)
{
    return core_own.has_arena && session.manager != NULL;
}

bool session_was_ended(void)
{
    return last_recording != 0 && start_error == 0 && !session_has_records();
}

const struct session_settings *session_last_settings(void)
{
    return &session.settings;
}

/* The bits that programs test before they record anything. */
static uint32_t recording_bits(uint64_t features, bool is_paused)
{
    uint32_t bits = 0;
    if ((features & FEATURE_MARKERS) && !is_paused)
        bits |= PROFD_RECORDING_MARKERS;
    /* Label stacks are kept through a pause: else one that is pushed before and popped meanwhile
     * would be there for the rest of the session. */
    if (features & FEATURE_LABELS)
        bits |= PROFD_RECORDING_LABELS;
    /* Likewise: what is added during a pause stays added. */
    if (features & FEATURE_COUNTERS)
        bits |= PROFD_RECORDING_COUNTERS;
    return bits;
}

/* Lets programs record into the session as far as it goes. */
static void open_recording(bool is_paused)
{
    recording_word_set(recording_bits(session.settings.features, is_paused));
}

/* Of the session that was started, as the ledger has it; a session without a ledger stands. */
static struct session_word read_word(void)
{
    struct session_word word;
    if (!agent_lease_read_session(&word) && !agent_lease_is_over())
        word.generation = session.settings.generation;
    return word;
}

void session_begin_messages(void)
{
    if (session_is_active() && core_own.recording_generation != 0)
        open_recording(session.settings.is_paused);
}

bool session_follow_word(void)
{
    if (!session_is_active())
        return false;
    if (sampler_has_thread() || session_is_own())
        return true; /* it is told by messages, or by the program */
    struct session_word word = read_word();
    bool is_on = word.generation == session.settings.generation;
    if (is_on)
        open_recording(word.is_paused);
    else
        recording_word_set(0);
    return is_on && !word.is_paused && !word.is_sampling_paused;
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
    if (session.manager == NULL)
        atomic_store(&header->session_start_ns, clock_monotonic_ns());
    atomic_store(&header->interval_ns, settings->interval_ns);
    atomic_store(&header->generation, settings->generation);
    atomic_store(&header->is_recording, 1);
}

/* Nobody records into the arena any more, or is to. */
static void close_arena(struct chunk_manager *manager)
{
    atomic_store(&core.arena.header->is_recording, 0);
    session.settings.generation = 0;
    thread_registry_set_profiled("", 0);
    sample_rooms_close();
    chunk_manager_set_update_callback(manager, NULL, NULL);
}

/* The last step of a session, and of one that could not be started. Nothing of it can be captured
 * any more, so its memory is for others now. */
static void end(void)
{
    struct chunk_manager *manager = session.manager;
    session.manager =
        NULL; /* first: another thread may fork now, and its child frees what is here */
    close_arena(manager);
    chunk_manager_discard_all(manager);
    chunk_manager_destroy(manager);
}

/* A session may begin paused, and end so; both counted when full. */
static void describe_pauses(const struct session_settings *settings)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (settings->is_paused)
        (void)dictionary_put_pause(&core.dictionary, now_ns);
    if (settings->is_sampling_paused)
        (void)dictionary_put_sampling_pause(&core.dictionary, now_ns);
}

static void end_pauses(const struct session_settings *settings)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (settings->is_paused)
        (void)dictionary_put_resume(&core.dictionary, now_ns);
    if (settings->is_sampling_paused)
        (void)dictionary_put_sampling_resume(&core.dictionary, now_ns);
}

/* That of a suspended session, or a new one. */
static int get_manager(const struct session_settings *settings, struct chunk_manager **out)
{
    *out = session.manager;
    if (session.manager != NULL)
        return chunk_manager_continue(session.manager, settings->generation, settings->limit_bytes);
    return chunk_manager_create(&core.arena, settings->generation, settings->limit_bytes, out);
}

static void follow_finer_interval(void)
{
    uint64_t own_ns = session.settings.interval_ns;
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
static int start(const struct session_settings *settings, uint32_t recording)
{
    struct chunk_manager *manager = NULL;
    int err = process_arena_make();
    if (err == 0)
        err = process_arena_lease();
    if (err == 0)
        err = marker_triggers_set(settings->marker_triggers);
    if (err == 0)
        err = sampling_signal_install();
    if (err == 0)
        err = get_manager(settings, &manager);
    if (err < 0)
        return err;
    describe_in_arena(settings);
    describe_pauses(settings);
    session.settings = *settings;
    session.manager = manager;
    err = sample_rooms_open(manager);
    if (err == 0)
        err = sampler_start(&session.settings, manager);
    if (err < 0)
        goto cleanup;
    if (finer_interval_ns != 0)
        follow_finer_interval();
    thread_registry_set_profiled(settings->filters, thread_features(settings));
    core_own.recording_generation = recording;
    open_recording(settings->is_paused);
    groups_ask(GROUPS_FOR_SESSION, settings->features & FEATURE_GROUPS ? GROUP_NEEDS_USUAL : 0);
    allocations_start(settings, recording);
    return 0;

cleanup:
    end();
    return err;
}

static void count_recording(void)
{
    last_recording = last_recording == UINT32_MAX ? 1 : last_recording + 1;
}

int session_start(const struct session_settings *settings)
{
    if (session_is_active())
        session_stop();
    count_recording();
    finer_interval_ns = 0;
    start_error = start(settings, last_recording);
    return start_error;
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
    core_own.recording_generation = 0;
    groups_ask(GROUPS_FOR_SESSION, 0);
    wait_until_quiet();
    sampler_stop();
    end_pauses(&session.settings);
}

void session_stop(void)
{
    if (!session_is_active())
        return;
    stop_recording();
    end();
}

void session_suspend(void)
{
    if (!session_is_active())
        return;
    stop_recording();
    close_arena(session.manager);
    chunk_manager_close_all(session.manager);
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
    const struct session_settings *after = &session.settings;
    bool are_threads_the_same = !before->is_paused && !before->is_sampling_paused &&
                                strcmp(before->filters, after->filters) == 0;
    int err = sampler_start(&session.settings, session.manager);
    if (err < 0)
        return err;
    thread_registry_set_profiled(after->filters, thread_features(after));
    sampler_go_on(are_threads_the_same);
    if (finer_interval_ns != 0)
        follow_finer_interval();
    return 0;
}

/* What is recorded otherwise than by the sampler goes on all the while. */
static int renew(const struct session_settings *before, const struct session_settings *settings)
{
    recording_word_set(
        recording_bits(before->features & (settings->features | features_to_keep(before->features)),
                       before->is_paused || settings->is_paused));
    sampler_stop();
    end_pauses(before);
    session.settings = *settings;
    session.settings.features |= features_to_keep(before->features);
    describe_in_arena(&session.settings);
    describe_pauses(&session.settings);
    int err = chunk_manager_continue(session.manager, settings->generation, settings->limit_bytes);
    if (err == 0 && strcmp(before->marker_triggers, settings->marker_triggers) != 0)
        err = marker_triggers_set(settings->marker_triggers);
    if (err == 0)
        err = renew_sampler(before);
    if (err < 0)
        return err;
    open_recording(settings->is_paused);
    groups_ask(GROUPS_FOR_SESSION, settings->features & FEATURE_GROUPS ? GROUP_NEEDS_USUAL : 0);
    allocations_change(before, &session.settings, core_own.recording_generation);
    return 0;
}

int session_renew(const struct session_settings *settings)
{
    static struct session_settings before; /* too large for the stack of a handler */
    before = session.settings;
    start_error = renew(&before, settings);
    if (start_error < 0)
        session_suspend();
    return start_error;
}

int session_move_lease(struct lease_ledger *ledger)
{
    int err = dictionary_move_lease(&core.dictionary, ledger);
    if (session.manager == NULL)
        return err;
    if (err < 0)
        end(); /* chunks are worth nothing without the names of their threads */
    else
        chunk_manager_pay_anew(session.manager);
    return err;
}

static void pause_sampler(void)
{
    sampler_set_paused(session.settings.is_paused || session.settings.is_sampling_paused);
}

void session_pause(void)
{
    if (!session_is_active() || session.settings.is_paused)
        return;
    session.settings.is_paused = true;
    open_recording(session.settings.is_paused);
    pause_sampler();
    allocations_set_paused(true);
    (void)dictionary_put_pause(&core.dictionary, clock_monotonic_ns()); /* counted when full */
}

void session_resume(void)
{
    if (!session_is_active() || !session.settings.is_paused)
        return;
    session.settings.is_paused = false;
    (void)dictionary_put_resume(&core.dictionary, clock_monotonic_ns()); /* counted when full */
    pause_sampler();
    allocations_set_paused(false);
    open_recording(session.settings.is_paused);
}

static void set_sampling_paused(bool is_paused, const char *text)
{
    if (!session_is_active() || session.settings.is_sampling_paused == is_paused)
        return;
    session.settings.is_sampling_paused = is_paused;
    pause_sampler();
    (void)(is_paused ? dictionary_put_sampling_pause
                     : dictionary_put_sampling_resume)(&core.dictionary, clock_monotonic_ns());
    (void)dictionary_put_log(&core.dictionary, clock_monotonic_ns(), text); /* counted when full */
}

void session_pause_sampling(void)
{
    set_sampling_paused(true, "sampling is paused");
}

void session_resume_sampling(void)
{
    set_sampling_paused(false, "sampling goes on");
}

int session_add_marker_triggers(const char *lines)
{
    if (!session_is_active() || marker_triggers_are_set())
        return 0;
    strcpy(session.settings.marker_triggers, lines); /* both of TRIGGER_LINES_BYTES */
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
    core_own.recording_generation = 0;
    finer_interval_ns = 0;  /* a second session was the parent's */
    session.manager = NULL; /* unforked pages */
}

const struct session_settings *session_prepared_settings(void)
{
    return session.settings.generation != 0 && !core_own.has_arena ? &session.settings : NULL;
}

void session_prepare(const struct session_settings *settings)
{
    bool is_other = settings->generation != session.settings.generation;
    session.settings = *settings;
    if (is_other)
        count_recording();
}

void session_forget_prepared(void)
{
    session.settings.generation = 0;
    recording_word_set(0);
}

bool session_prepared_is_on(void)
{
    return session.settings.generation != 0 &&
           read_word().generation == session.settings.generation;
}

bool session_prepared_is_paused(void)
{
    struct session_word word = read_word();
    return word.is_paused || word.is_sampling_paused;
}

void session_invite_records(void)
{
    session.settings.is_paused = session.settings.is_sampling_paused = false;
    open_recording(read_word().is_paused);
}

int session_start_prepared(void)
{
    struct session_settings settings = session.settings;
    if (settings.generation == 0)
        return 0;
    session.settings.generation = 0;
    start_error = start(&settings, last_recording); /* the labels that are pushed stay pushed */
    return start_error;
}
