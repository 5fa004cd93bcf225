#include "child-agent/agent_thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "child-agent/agent_gather.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_link.h"
#include "child-agent/agent_updates.h"
#include "child-agent/core.h"
#include "child-agent/dormancy.h"
#include "child-agent/groups/groups.h"
#include "child-agent/guest/descriptor.h"
#include "child-agent/guest/gate.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/markers/marker_triggers.h"
#include "child-agent/resting.h"
#include "child-agent/reunion.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/session.h"
#include "ipc/messages.h"

enum {
    AGENT_FIRST_RETRY_MS = 20,
    AGENT_LAST_RETRY_MS = 1000,
    AGENT_GATHER_POLL_MS = 5,
    AGENT_UPDATE_REST_MS = 50, /* between two chunk updates */
    AGENT_ARENA_RETRY_MS = 1000,
    AGENT_SHARED_POLL_MS = 50,
    AGENT_TRIGGER_POLL_MS = 50, /* markers that lasted too long wake nobody */
    AGENT_START_WAIT_MS =
        200, /* where the kernel doesn't let the thread run, the program goes on */
    SMALL_MESSAGE_BYTES = 256,
    UPDATE_MESSAGE_BYTES = 16 * 1024,
};

static struct {
    pthread_t thread;
    struct named_mutex lock; /* held while a message is obeyed */
    bool is_running;
    bool is_refused;    /* profd speaks another protocol: leave the program alone */
    bool is_welcome;    /* since the last pause, profd has taken us in */
    bool owes_update;   /* profd awaits the next chunk update */
    int update_rest_ms; /* until the next update may go out; -1: as soon as there is one */
    struct agent_address address;
    bool has_own_table;    /* of descriptors */
    struct gate own_table; /* open once the program cannot close what the agent has */
} agent = { .lock = NAMED_MUTEX_INITIALIZER(AGENT) };

static __thread bool is_held; /* agent.lock, by the calling thread: several may fork at once */

static int send_generation(enum message_kind kind, uint64_t generation)
{
    uint8_t message[SMALL_MESSAGE_BYTES];
    const struct message_generation body = { .generation = generation };
    return agent_link_send(message, message_put_generation(message, sizeof(message), kind, &body),
                           -1);
}

static int send_log(const char *what, int error)
{
    uint8_t message[SMALL_MESSAGE_BYTES];
    char text[SMALL_MESSAGE_BYTES / 2];
    snprintf(text, sizeof(text), "%s: %s", what, strerrordesc_np(-error));
    const struct message_text body = { .text = { text, strlen(text) } };
    return agent_link_send(
        message, message_put_text(message, sizeof(message), MESSAGE_AGENT_LOG, &body), -1);
}

static void settings_from(const struct message_session *session, struct session_settings *out)
{
    memset(out, 0, sizeof(*out));
    out->generation = (uint32_t)session->generation;
    out->revision = (uint32_t)session->revision & SESSION_WORD_REVISION_MASK;
    out->interval_ns = session->interval_ns;
    out->clock = (enum sampling_clock)session->clock; /* the decoder looked at it */
    out->allocation_interval_bytes = session->allocation_interval_bytes;
    out->limit_bytes = session->memory_limit_bytes;
    out->features = session->features;
    out->is_paused = session->is_paused != 0;
    out->is_sampling_paused = session->is_sampling_paused != 0;
    if (session->thread_filters.length < sizeof(out->filters))
        memcpy(out->filters, session->thread_filters.bytes, session->thread_filters.length);
    if (session->marker_triggers.length < sizeof(out->marker_triggers))
        memcpy(out->marker_triggers, session->marker_triggers.bytes,
               session->marker_triggers.length);
}

/* Makes the session be SESSION: starts it, goes on with it on other terms, or only pauses or
 * resumes what runs already. */
static int obey_session(const struct message_session *session)
{
    struct session_settings settings;
    int err = 0;
    settings_from(session, &settings);
    bool is_on = session->generation == session_generation();
    if (is_on && settings.revision != session_last_settings()->revision) {
        err = session_renew(&settings);
        if (err == 0)
            sampler_start_thread();
    } else if (is_on) {
        err = session_add_marker_triggers(settings.marker_triggers);
        if (session->is_paused)
            session_pause();
        else
            session_resume();
        if (session->is_sampling_paused)
            session_pause_sampling();
        else
            session_resume_sampling();
        chunk_manager_set_limit(session_chunk_manager(), session->memory_limit_bytes);
    } else {
        err = session_start(&settings);
        if (err == 0)
            sampler_start_thread();
    }
    if (err < 0)
        return send_log("session not started", err);
    if (!agent_link_gave_arena())
        return -ESTALE; /* there was none at the hello: another one brings it */
    agent_updates_listen(session_chunk_manager());
    return send_generation(MESSAGE_STARTED, session->generation);
}

/* What was recorded when there was no profd, profd gets; what was within the ledger of another one
 * was for a profd that is no more. */
static int move_arena(struct lease_ledger *ledger)
{
    const struct lease_ledger *before = core.arena.lease.ledger;
    if (!core_own.has_arena || before == ledger)
        return 0;
    if (before == NULL)
        session_suspend();
    else
        session_stop();
    return session_move_lease(ledger) < 0 ? send_log("nothing can be recorded", -ENOSPC) : 0;
}

/* The ledger that came with a welcome. */
static int take_ledger(void)
{
    struct lease_ledger *ledger;
    int fd = agent_link_take_descriptor();
    if (fd < 0)
        return 0;
    int err = agent_lease_take_over(fd);
    close(fd);
    if (err < 0 || session_is_own())
        return err; /* the program's session goes on in what it has; the next one moves */
    err = agent_lease_get(&ledger);
    return err < 0 ? err : move_arena(ledger);
}

static int on_welcome(const uint8_t *payload, size_t bytes)
{
    struct message_welcome welcome;
    int err = message_get_welcome(payload, bytes, &welcome);
    if (err == 0)
        err = take_ledger();
    if (err < 0)
        return err;
    if (!protocol_version_is_understood(welcome.protocol_version)) {
        agent.is_refused = true;
        session_stop();
        return -EPROTO;
    }
    agent.is_welcome = true;
    groups_follow();
    if (welcome.session.generation != 0)
        return obey_session(&welcome.session);
    if (!session_is_own())
        session_stop();
    return 0;
}

static int on_ensure_started(const uint8_t *payload, size_t bytes)
{
    struct message_session session;
    int err = message_get_session(payload, bytes, &session);
    if (err == 0 && session.generation == 0)
        err = -EPROTO;
    return err < 0 ? err : obey_session(&session);
}

/* Stop, pause and resume; what is meant for another session is acknowledged and has no effect. */
static int on_change(int kind, const uint8_t *payload, size_t bytes)
{
    struct message_generation change;
    int err = message_get_generation(payload, bytes, &change);
    if (err < 0)
        return err;
    bool is_ours = change.generation == session_generation();
    switch (kind) {
    case MESSAGE_STOP:
        if (is_ours)
            session_stop();
        return send_generation(MESSAGE_STOPPED, change.generation);
    case MESSAGE_PAUSE:
        if (is_ours)
            session_pause();
        return send_generation(MESSAGE_PAUSED, change.generation);
    case MESSAGE_RESUME:
        if (is_ours)
            session_resume();
        return send_generation(MESSAGE_RESUMED, change.generation);
    case MESSAGE_PAUSE_SAMPLING:
        if (is_ours)
            session_pause_sampling();
        return send_generation(MESSAGE_SAMPLING_PAUSED, change.generation);
    default:
        if (is_ours)
            session_resume_sampling();
        return send_generation(MESSAGE_SAMPLING_RESUMED, change.generation);
    }
}

static int on_destroy_released(const uint8_t *payload, size_t bytes)
{
    struct message_destroy_released destroy;
    int err = message_get_destroy_released(payload, bytes, &destroy);
    if (err == 0 && session_is_active() && destroy.generation == session_generation())
        (void)chunk_manager_destroy_released_at_or_before(session_chunk_manager(), destroy.done_ns);
    return err;
}

static int send_profile(uint64_t gather_id, int fd, uint64_t json_bytes, int error)
{
    uint8_t message[SMALL_MESSAGE_BYTES];
    const struct message_profile body = { .gather_id = gather_id,
                                          .error = error,
                                          .json_bytes = json_bytes };
    int err = agent_link_send(
        message, message_put_profile(message, sizeof(message), MESSAGE_PROFILE, &body), fd);
    if (fd >= 0)
        close(fd);
    return err;
}

static int on_gather_profile(const uint8_t *payload, size_t bytes)
{
    struct message_gather_profile gather;
    int err = message_get_gather_profile(payload, bytes, &gather);
    if (err < 0)
        return err;
    if (gather.is_raw) {
        session_flush();
        return send_profile(gather.gather_id, -1, 0, 0);
    }
    err = agent_gather_start(&gather);
    return err < 0 ? send_profile(gather.gather_id, -1, 0, err) : 0;
}

static int on_get_progress(const uint8_t *payload, size_t bytes)
{
    uint8_t message[SMALL_MESSAGE_BYTES];
    struct message_gather_id asked;
    int err = message_get_gather_id(payload, bytes, &asked);
    if (err < 0)
        return err;
    const struct message_gather_progress body = { .gather_id = asked.gather_id,
                                                  .proportion = agent_gather_proportion() };
    return agent_link_send(message,
                           message_put_gather_progress(message, sizeof(message),
                                                       MESSAGE_GATHER_PROFILE_PROGRESS, &body),
                           -1);
}

/* What a message asks for. A negative result ends the connection. */
static int obey(int kind, const uint8_t *payload, size_t bytes)
{
    switch (kind) {
    case MESSAGE_WELCOME:
        return on_welcome(payload, bytes);
    case MESSAGE_ENSURE_STARTED:
        return on_ensure_started(payload, bytes);
    case MESSAGE_STOP:
    case MESSAGE_PAUSE:
    case MESSAGE_RESUME:
    case MESSAGE_PAUSE_SAMPLING:
    case MESSAGE_RESUME_SAMPLING:
        return on_change(kind, payload, bytes);
    case MESSAGE_FOLLOW_GROUPS:
        groups_follow();
        return 0;
    case MESSAGE_AWAIT_NEXT_CHUNK_MANAGER_UPDATE:
        agent.owes_update = true;
        return 0;
    case MESSAGE_DESTROY_RELEASED_CHUNKS_AT_OR_BEFORE:
        return on_destroy_released(payload, bytes);
    case MESSAGE_GATHER_PROFILE:
        return on_gather_profile(payload, bytes);
    case MESSAGE_GET_GATHER_PROFILE_PROGRESS:
        return on_get_progress(payload, bytes);
    default:
        return 0; /* of a newer minor version */
    }
}

static int read_and_obey(void)
{
    const uint8_t *payload;
    size_t bytes;
    int kind, got;
    int err = agent_link_fill();
    if (err < 0)
        return err;
    while ((got = agent_link_next(&kind, &payload, &bytes)) > 0) {
        named_mutex_lock(&agent.lock);
        err = obey(kind, payload, bytes);
        named_mutex_unlock(&agent.lock);
        if (err < 0)
            return err;
    }
    return got;
}

/* A finished profile goes out. */
static int deliver_profile(void)
{
    int fd, error;
    uint64_t json_bytes;
    uint64_t gather_id = agent_gather_id();
    if (!agent_gather_take(&fd, &json_bytes, &error))
        return 0;
    return send_profile(gather_id, fd, json_bytes, error);
}

/* An update that profd awaits goes out, once there is one. */
static int deliver_update(void)
{
    static struct message_chunk_manager_update body;
    static uint8_t message[UPDATE_MESSAGE_BYTES];
    if (!agent.owes_update || !agent_updates_take(&body.update))
        return 0;
    agent.owes_update = false;
    agent.update_rest_ms = AGENT_UPDATE_REST_MS;
    body.generation = session_generation();
    return agent_link_send(message,
                           message_put_chunk_manager_update(message, sizeof(message),
                                                            MESSAGE_CHUNK_MANAGER_UPDATE, &body),
                           -1);
}

/* Markers that lasted too long since the last time. */
static int deliver_triggered(void)
{
    uint32_t hits;
    int err = 0;
    if (!session_is_active())
        return 0;
    for (size_t index = 0; err >= 0 && marker_triggers_take(&index, &hits); index++) {
        uint8_t message[SMALL_MESSAGE_BYTES];
        const struct message_triggered body = { .generation = session_generation(),
                                                .marker = index,
                                                .hits = hits };
        err = agent_link_send(
            message, message_put_triggered(message, sizeof(message), MESSAGE_TRIGGERED, &body), -1);
    }
    return err;
}

static int wait_timeout_ms(void)
{
    if (agent_gather_id() != 0)
        return AGENT_GATHER_POLL_MS;
    if (!agent_link_gave_arena())
        return AGENT_ARENA_RETRY_MS;
    if (!session_is_active())
        return -1;
    if (marker_triggers_are_set())
        return AGENT_TRIGGER_POLL_MS;
    return agent.owes_update ? agent.update_rest_ms : -1;
}

/* Nothing came while we waited. */
static int on_quiet(void)
{
    agent.update_rest_ms = -1;
    if (agent_link_gave_arena())
        return 0;
    named_mutex_lock(&agent.lock);
    int err = core_make_arena();
    named_mutex_unlock(&agent.lock);
    return err == 0 ? -ESTALE : 0; /* now there is something to say hello with */
}

/* Whether agent_thread_stop() may end the thread where it is: only while it waits, with nothing in
 * hand. */
static void set_interruptible(bool is_interruptible)
{
    int before;
    (void)pthread_setcancelstate(is_interruptible ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE,
                                 &before);
}

/* As agent_link_wait(). Nothing wakes a process in which nothing happens: an update that profd
 * awaits does so when there is one. */
static int wait_for_news(void)
{
    int timeout_ms = wait_timeout_ms();
    if (timeout_ms >= 0 || !agent.owes_update || !session_is_active())
        return agent_link_wait(timeout_ms);
    if (sampling_signal_is_shared()) /* which is for the program: nothing may wake us */
        return agent_link_wait(AGENT_SHARED_POLL_MS);
    if (!agent_updates_await())
        return 0;
    int got = agent_link_wait(timeout_ms);
    agent_updates_stop_awaiting();
    return got;
}

/* Until the connection ends. True when it did only because there is an arena to say hello with. */
static bool serve(void)
{
    int err = 0;
    agent.update_rest_ms = AGENT_UPDATE_REST_MS;
    while (err >= 0) {
        set_interruptible(true);
        err = wait_for_news();
        set_interruptible(false);
        if (err > 0)
            err = read_and_obey();
        else if (err == 0)
            err = on_quiet();
        if (err >= 0)
            err = deliver_profile();
        if (err >= 0)
            err = deliver_update();
        if (err >= 0)
            err = deliver_triggered();
    }
    agent_link_close();
    agent.owes_update = false;
    return err == -ESTALE && session_is_active();
}

static void rest_ms(int rest)
{
    const struct timespec time = { .tv_sec = rest / 1000, .tv_nsec = rest % 1000 * 1000000L };
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/* The profd that has the only descriptor of our arena is over, and with it the session: nobody
 * records, and the arena can have another file for the next profd. */
static void renew_given_arena(void)
{
    if (!agent_link_gave_only_arena() || !agent_lease_is_over() || session_is_active() ||
        !core_own.has_arena || !dictionary_try_hold(&core.dictionary))
        return; /* when it connects the next time */
    int err = core_renew_arena();
    dictionary_let_go(&core.dictionary);
    if (err == 0)
        agent_link_take_arena_back();
}

static int open_link(void)
{
    named_mutex_lock(&agent.lock);
    renew_given_arena();
    int err = agent_link_open(&agent.address);
    named_mutex_unlock(&agent.lock);
    return err;
}

/* A profd that ended in good order asks for nothing any more. */
static void stop_if_over(void)
{
    named_mutex_lock(&agent.lock);
    if (agent_lease_is_over() && !session_is_own())
        session_stop();
    named_mutex_unlock(&agent.lock);
}

static void *agent_main(void *argument)
{
    int retry_ms = AGENT_FIRST_RETRY_MS;
    (void)argument;
    set_interruptible(false);
    agent.has_own_table = agent_thread_own_descriptors(true);
    gate_open(&agent.own_table);
    agent_thread_set_name("profd-agent");
    sampling_signal_only_wakes();
    while (!agent.is_refused) {
        agent.is_welcome = false;
        if ((agent_link_is_open() || open_link() == 0) && serve())
            continue;
        if (agent.is_welcome) /* else one that takes in nobody would be asked without a pause */
            retry_ms = AGENT_FIRST_RETRY_MS;
        stop_if_over();
        set_interruptible(true);
        if (!agent.is_refused)
            rest_ms(retry_ms);
        set_interruptible(false);
        retry_ms = retry_ms * 2 > AGENT_LAST_RETRY_MS ? AGENT_LAST_RETRY_MS : retry_ms * 2;
    }
    return NULL;
}

int agent_thread_start(const struct agent_address *address)
{
    if (address != NULL)
        agent.address = *address;
    int err = agent_link_open(&agent.address);
    /* No profd yet, or a busy one: the thread will try again. */
    (void)err;
    const struct descriptor_identity socket = descriptor_identity(DESCRIPTOR_SOCKET);
    gate_close(&agent.own_table);
    err = agent_thread_create(&agent.thread, agent_main, NULL);
    agent.is_running = err == 0;
    /* The first thing that the program does may be to close all descriptors; it is to see none of
     * ours that it need not. */
    if (err == 0 && gate_wait(&agent.own_table, AGENT_START_WAIT_MS) && agent.has_own_table)
        descriptor_close_here(&socket);
    return err;
}

int agent_thread_introduce(const struct agent_address *address)
{
    agent.address = *address;
    reunion_note_hello();
    int err = agent_link_introduce(address);
    core_own.is_alone = err == 0;
    return err;
}

int agent_thread_introduce_again(void)
{
    reunion_note_hello();
    agent_link_take_arena_back();
    return agent_link_introduce(&agent.address);
}

int agent_thread_find_ledger(void)
{
    return agent_lease_renew(agent.address.path);
}

bool agent_thread_is_alone(void)
{
    return core_own.is_alone;
}

/* From here on no tick sees to sessions. Returns whether the process was alone. */
static bool leave_loneliness(void)
{
    bool was_alone = core_own.is_alone;
    core_own.is_alone = false; /* first: a tick in between would have the process rest again */
    atomic_signal_fence(memory_order_seq_cst);
    if (core_own.lacks_thread)
        session_suspend(); /* profd's welcome begins it anew, with all that was asked for */
    resting_end();
    if (was_alone)
        reunion_prepare_thread();
    return was_alone;
}

void agent_thread_ensure(void)
{
    /* A child that is being forked begins later; one made past the C library never does. */
    if (core_is_forking || !core_own.is_followed || atomic_load(&core.has_filter))
        return;
    if (dormancy_leave() || (!core_own.has_arena && !core_own.is_alone))
        return;
    bool was_alone = leave_loneliness();
    sampler_start_thread();
    if (was_alone)
        (void)agent_thread_start(NULL); /* without, the process goes on as it was */
}

bool agent_thread_is_running(void)
{
    return agent.is_running;
}

bool agent_thread_stop(void)
{
    if (!agent.is_running)
        return false;
    (void)pthread_cancel(agent.thread);
    (void)pthread_join(agent.thread, NULL); /* both fail only for a thread that is not ours */
    agent_gather_wait();
    agent.is_running = false;
    agent.owes_update = false;
    agent_link_close();
    return true;
}

bool agent_thread_hold(void)
{
    is_held = named_mutex_lock_soon(&agent.lock);
    return is_held;
}

void agent_thread_release(void)
{
    if (is_held)
        named_mutex_unlock(&agent.lock);
    is_held = false;
}

bool agent_thread_is_free(void)
{
    return named_mutex_is_free_in_handler(&agent.lock);
}

void agent_thread_before_fork(void)
{
    (void)agent_thread_hold(); /* without, the child may find a session that was changing */
}

void agent_thread_after_fork_parent(void)
{
    agent_thread_release();
}

void agent_thread_after_fork_child(void)
{
    named_mutex_reset(&agent.lock);
    is_held = false;
    agent.is_running = false;
    core_own.is_alone = false;
    agent.owes_update = false;
    agent_link_after_fork_child();
    agent_gather_reset();
    agent_updates_reset();
}
