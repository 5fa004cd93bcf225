#include "child-agent/agent_orders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/agent_gather.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_link.h"
#include "child-agent/agent_updates.h"
#include "child-agent/core.h"
#include "child-agent/groups/groups.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/session.h"
#include "ipc/messages.h"

static int send_generation(enum message_kind kind, uint64_t generation)
{
    uint8_t message[AGENT_SMALL_MESSAGE_BYTES];
    const struct message_generation body = { .generation = generation };
    return agent_link_send(message, message_put_generation(message, sizeof(message), kind, &body),
                           -1);
}

static int send_log(const char *what, int error)
{
    uint8_t message[AGENT_SMALL_MESSAGE_BYTES];
    char text[AGENT_SMALL_MESSAGE_BYTES / 2];
    snprintf(text, sizeof(text), "%s: %s", what, strerrordesc_np(-error));
    const struct message_text body = { .text = { text, strlen(text) } };
    return agent_link_send(
        message, message_put_text(message, sizeof(message), MESSAGE_AGENT_LOG, &body), -1);
}

static void fill_settings(const struct message_session *session, struct session_settings *out)
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
    int error = 0;
    fill_settings(session, &settings);
    bool is_on = session->generation == session_generation();
    if (is_on && settings.revision != session_last_settings()->revision) {
        error = session_renew(&settings);
        if (error == 0)
            sampler_start_thread();
    } else if (is_on) {
        error = session_add_marker_triggers(settings.marker_triggers);
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
        error = session_start(&settings);
        if (error == 0)
            sampler_start_thread();
    }
    if (error < 0)
        return send_log("session not started", error);
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
    if (!core_local.has_arena || before == ledger)
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
    int error = agent_lease_take_over(fd);
    close(fd);
    if (error < 0 || session_is_own())
        return error; /* the program's session goes on in what it has; the next one moves */
    error = agent_lease_get(&ledger);
    return error < 0 ? error : move_arena(ledger);
}

static int on_welcome(struct agent_standing *standing, const uint8_t *payload, size_t bytes)
{
    struct message_welcome welcome;
    int error = message_get_welcome(payload, bytes, &welcome);
    if (error == 0)
        error = take_ledger();
    if (error < 0)
        return error;
    if (!protocol_version_is_understood(welcome.protocol_version)) {
        standing->is_refused = true;
        session_stop();
        return -EPROTO;
    }
    standing->is_welcome = true;
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
    int error = message_get_session(payload, bytes, &session);
    if (error == 0 && session.generation == 0)
        error = -EPROTO;
    return error < 0 ? error : obey_session(&session);
}

/* Stop, pause and resume; what is meant for another session is acknowledged and has no effect. */
static int on_change(int kind, const uint8_t *payload, size_t bytes)
{
    struct message_generation change;
    int error = message_get_generation(payload, bytes, &change);
    if (error < 0)
        return error;
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
    int error = message_get_destroy_released(payload, bytes, &destroy);
    if (error == 0 && session_is_active() && destroy.generation == session_generation())
        (void)chunk_manager_destroy_released_at_or_before(session_chunk_manager(), destroy.done_ns);
    return error;
}

int agent_orders_send_profile(uint64_t gather_id, int fd, uint64_t json_bytes, int error)
{
    uint8_t message[AGENT_SMALL_MESSAGE_BYTES];
    const struct message_profile body = { .gather_id = gather_id,
                                          .error = error,
                                          .json_bytes = json_bytes };
    int send_error = agent_link_send(
        message, message_put_profile(message, sizeof(message), MESSAGE_PROFILE, &body), fd);
    if (fd >= 0)
        close(fd);
    return send_error;
}

static int on_gather_profile(const uint8_t *payload, size_t bytes)
{
    struct message_gather_profile gather;
    int error = message_get_gather_profile(payload, bytes, &gather);
    if (error < 0)
        return error;
    if (gather.is_raw) {
        session_flush();
        return agent_orders_send_profile(gather.gather_id, -1, 0, 0);
    }
    error = agent_gather_start(&gather);
    return error < 0 ? agent_orders_send_profile(gather.gather_id, -1, 0, error) : 0;
}

static int on_get_progress(const uint8_t *payload, size_t bytes)
{
    uint8_t message[AGENT_SMALL_MESSAGE_BYTES];
    struct message_gather_id asked;
    int error = message_get_gather_id(payload, bytes, &asked);
    if (error < 0)
        return error;
    const struct message_gather_progress body = { .gather_id = asked.gather_id,
                                                  .proportion = agent_gather_proportion() };
    return agent_link_send(message,
                           message_put_gather_progress(message, sizeof(message),
                                                       MESSAGE_GATHER_PROFILE_PROGRESS, &body),
                           -1);
}

int agent_orders_obey(struct agent_standing *standing, int kind, const uint8_t *payload,
                      size_t bytes)
{
    switch (kind) {
    case MESSAGE_WELCOME:
        return on_welcome(standing, payload, bytes);
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
        standing->owes_update = true;
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
