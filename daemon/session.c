#include "daemon/session.h"

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
    case SESSION_EVENT_PAUSE_SAMPLING:
        return may_change_sampling(state) && !session->is_sampling_paused ? (int)state : -EINVAL;
    case SESSION_EVENT_RESUME_SAMPLING:
        return may_change_sampling(state) && session->is_sampling_paused ? (int)state : -EINVAL;
    }
    return -EINVAL;
}

int session_move(struct session *session, enum session_event event)
{
    int next = next_state(session, event);

    if (next < 0)
        return next;
    if (event == SESSION_EVENT_GATHER)
        session->before_gathering = session->state;
    if (event == SESSION_EVENT_PAUSE_SAMPLING || event == SESSION_EVENT_RESUME_SAMPLING)
        session->is_sampling_paused = event == SESSION_EVENT_PAUSE_SAMPLING;
    session->state = (enum session_state)next;
    return 0;
}

uint32_t session_first_generation(uint64_t now_ns)
{
    return (uint32_t)(now_ns >> 24); /* nobody starts sessions faster than one in 16 ms */
}

int session_start(struct session *session, const struct session_settings *settings, uint64_t now_ns)
{
    int error = session_move(session, SESSION_EVENT_START);
    if (error < 0)
        return error;

    session->generation++;
    if (session->generation == 0)
        session->generation = 1; /* 0 means none */
    session->start_ns = now_ns;
    session->end_ns = 0;
    session->is_sampling_paused = false;
    session->restart_count = 0;
    session->unseen_count = 0;
    session->settings = *settings;
    return 0;
}

const char *session_refusal(enum session_state state, enum session_event event)
{
    if (state == SESSION_IDLE)
        return "no session is active; 'profctl start' begins one";
    if (state == SESSION_STARTING)
        return "the session is still starting; try again";
    if (state == SESSION_GATHERING)
        return "a capture is being made; try again when it is done";
    if (event == SESSION_EVENT_START)
        return "a session is active already; 'profctl stop' ends it";
    if (event == SESSION_EVENT_PAUSE)
        return "the session is paused already";
    if (event == SESSION_EVENT_RESUME)
        return "the session is not paused";
    if (event == SESSION_EVENT_PAUSE_SAMPLING)
        return "sampling is paused already";
    if (event == SESSION_EVENT_RESUME_SAMPLING)
        return "sampling is not paused";
    return "not possible in this state of the session";
}

bool session_is_on(const struct session *session)
{
    return session->state != SESSION_IDLE;
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
