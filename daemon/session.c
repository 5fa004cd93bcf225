#include "daemon/session.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

const char *session_state_name(enum session_state state)
{
    static const char *const names[] = {
#define X(name, text) [SESSION_##name] = text,
        SESSION_STATES(X)
#undef X
    };
    return names[state];
}

static bool may_change_sampling(enum session_state state)
{
    return state == SESSION_ACTIVE || state == SESSION_PAUSED;
}

/* The state after EVENT in the present one, or -EINVAL. */
static int next_state(const struct session *session, enum session_event event)
{
    enum session_state state = session->state;

    switch (event) {
    case SESSION_EVENT_START:
        return state == SESSION_IDLE ? SESSION_STARTING : -EINVAL;
    case SESSION_EVENT_STARTED:
        return state == SESSION_STARTING ? SESSION_ACTIVE : -EINVAL;
    case SESSION_EVENT_PAUSE:
        return state == SESSION_ACTIVE ? SESSION_PAUSED : -EINVAL;
    case SESSION_EVENT_RESUME:
        return state == SESSION_PAUSED ? SESSION_ACTIVE : -EINVAL;
    case SESSION_EVENT_GATHER:
        return state == SESSION_ACTIVE || state == SESSION_PAUSED ? SESSION_GATHERING : -EINVAL;
    case SESSION_EVENT_GATHERED:
        return state == SESSION_GATHERING ? (int)session->before_gathering : -EINVAL;
    case SESSION_EVENT_STOP:
        return state != SESSION_IDLE ? SESSION_IDLE : -EINVAL;
    case SESSION_EVENT_JOIN:
        return state == SESSION_ACTIVE ? (int)state : -EINVAL;
    case SESSION_EVENT_LEAVE:
        return state != SESSION_IDLE ? (int)state : -EINVAL;
    case SESSION_EVENT_PAUSE_SAMPLING:
        return may_change_sampling(state) && !session->is_sampling_paused ? (int)state : -EINVAL;
    case SESSION_EVENT_RESUME_SAMPLING:
        return may_change_sampling(state) && session->is_sampling_paused ? (int)state : -EINVAL;
    }
    return -EINVAL;
}

bool session_may_move(const struct session *session, enum session_event event)
{
    return next_state(session, event) >= 0;
}

void session_move(struct session *session, enum session_event event)
{
    int next = next_state(session, event);

    assert(next >= 0);
    if (event == SESSION_EVENT_GATHER)
        session->before_gathering = session->state;
    if (event == SESSION_EVENT_PAUSE_SAMPLING || event == SESSION_EVENT_RESUME_SAMPLING)
        session->is_sampling_paused = event == SESSION_EVENT_PAUSE_SAMPLING;
    session->state = (enum session_state)next;
}

uint32_t session_first_generation(uint64_t now_ns)
{
    return (uint32_t)(now_ns >> 24); /* nobody starts sessions faster than one in 16 ms */
}

/* --- Whose it is --- */

static void begin_anew(struct session *session, uint64_t now_ns)
{
    session->generation++;
    if (session->generation == 0)
        session->generation = 1; /* 0 means none */
    session->start_ns = now_ns;
    session->end_ns = 0;
    session->is_sampling_paused = false;
    session->restart_count = 0;
    session->unseen_count = 0;
    session->revision = 0;
    session->parts.count = 0;
}

/* The parts have changed while the session is on. */
static void renew_terms(struct session *session)
{
    session_parts_fold(&session->parts, &session->settings);
    session->revision++;
}

int session_start(struct session *session, const struct session_owner *owner,
                  const struct session_settings *settings, uint64_t now_ns, const char **refusal)
{
    enum session_event event = session_is_on(session) ? SESSION_EVENT_JOIN : SESSION_EVENT_START;

    int error = session_parts_check(&session->parts, owner, settings, refusal);
    if (error < 0)
        return error;
    if (event == SESSION_EVENT_JOIN && session->is_sampling_paused) {
        *refusal = "sampling is paused; run 'profctl resume --sampling' first";
        return -EBUSY;
    }
    if (!session_may_move(session, event)) {
        *refusal = session_refusal_text(session->state, event);
        return -EINVAL;
    }
    session_move(session, event);
    if (event == SESSION_EVENT_START)
        begin_anew(session, now_ns);
    session_parts_add(&session->parts, owner, settings, now_ns);
    if (event == SESSION_EVENT_START)
        session->settings = *settings;
    else
        renew_terms(session);
    return 0;
}

const struct session_part *session_part_of(const struct session *session,
                                           const struct session_owner *owner)
{
    const struct session_part *part = session_parts_find(&session->parts, owner);

    for (unsigned i = 0; part == NULL && i < session->parts.count; i++) {
        if (owner->kind == SESSION_OWNER_USER &&
            session->parts.items[i].owner.kind == SESSION_OWNER_PROGRAM)
            part = &session->parts.items[i];
    }
    return part;
}

const char *session_missing_reason(const struct session *session, const struct session_owner *owner)
{
    if (session_part_of(session, owner) != NULL)
        return NULL;
    return session->parts.count == 0 ? session_refusal_text(SESSION_IDLE, SESSION_EVENT_STOP)
                                     : "only the session that is always on is active; start "
                                       "another one with 'profctl start'";
}

int session_stop(struct session *session, const struct session_owner *owner, const char **refusal)
{
    const struct session_part *part = session_part_of(session, owner);
    bool is_last = session->parts.count == 1;

    *refusal = session_missing_reason(session, owner);
    if (part == NULL)
        return -ESRCH;
    session_move(session, is_last ? SESSION_EVENT_STOP : SESSION_EVENT_LEAVE);
    const struct session_owner leaving = part->owner;
    (void)session_parts_remove(&session->parts, &leaving); /* it was just found */
    if (!is_last)
        renew_terms(session);
    return 0;
}

void session_change(struct session *session, const struct session_owner *owner,
                    const struct session_settings *settings)
{
    session_parts_change(&session->parts, owner, settings);
    renew_terms(session);
}

int session_pause(struct session *session, const struct session_owner *owner,
                  enum session_event event, const char **refusal)
{
    *refusal = session_missing_reason(session, owner);
    if (*refusal != NULL)
        return -ESRCH;
    *refusal = "two sessions are active; neither can be paused";
    if (session->parts.count > 1)
        return -EBUSY;
    *refusal = session_refusal_text(session->state, event);
    if (!session_may_move(session, event))
        return -EINVAL;
    session_move(session, event);
    return 0;
}

/* --- What people and agents are told --- */

const char *session_refusal_text(enum session_state state, enum session_event event)
{
    if (state == SESSION_IDLE)
        return "no session is active; start one with 'profctl start'";
    if (state == SESSION_STARTING)
        return "the session is still starting; try again";
    if (state == SESSION_GATHERING)
        return "a capture is being made; try again when it is done";
    if (event == SESSION_EVENT_START)
        return "a session is already active; end it with 'profctl stop'";
    if (event == SESSION_EVENT_JOIN)
        return "the active session is paused; run 'profctl resume' or 'profctl stop' first";
    if (event == SESSION_EVENT_PAUSE)
        return "the session is already paused";
    if (event == SESSION_EVENT_RESUME)
        return "the session is not paused";
    if (event == SESSION_EVENT_PAUSE_SAMPLING)
        return "sampling is already paused";
    if (event == SESSION_EVENT_RESUME_SAMPLING)
        return "sampling is not paused";
    return "not possible in the session's current state";
}

bool session_is_on(const struct session *session)
{
    return session->state != SESSION_IDLE;
}

bool session_has(const struct session *session, uint64_t feature)
{
    return session_is_on(session) && (session->settings.features & feature) != 0;
}

bool session_is_paused(const struct session *session)
{
    return session->state == SESSION_PAUSED ||
           (session->state == SESSION_GATHERING && session->before_gathering == SESSION_PAUSED);
}

void session_describe(const struct session *session, struct message_session *out)
{
    *out = (struct message_session){ .thread_filters = { "", 0 }, .marker_triggers = { "", 0 } };
    if (!session_is_on(session))
        return;
    out->generation = session->generation;
    out->revision = session->revision;
    out->interval_ns = session->settings.interval_ns;
    out->memory_limit_bytes = session->settings.memory_limit_bytes;
    out->features = session->settings.features;
    out->allocation_interval_bytes = session->settings.allocation_interval_bytes;
    out->clock = session->settings.clock;
    out->is_paused = session_is_paused(session);
    out->is_sampling_paused = session->is_sampling_paused;
    out->thread_filters.bytes = session->settings.thread_filters;
    out->thread_filters.length = strlen(session->settings.thread_filters);
    out->marker_triggers.bytes = session->settings.marker_triggers;
    out->marker_triggers.length = strlen(session->settings.marker_triggers);
}
