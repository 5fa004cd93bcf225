/* The life of a session: what profd is recording now, if anything.
 *
 *              ┌────────────────── stop ──────────────────┐
 *              ▼                                          │
 *     idle ──start──▶ starting ──started──▶ active ──pause──▶ paused
 *                                            │  ▲ ◀─resume──    │
 *                                         gather └─ gathered ─┐ gather
 *                                            └───▶ gathering ◀──┘
 *
 * stop is possible from every state but idle. Each start has a generation of its own, so that what
 * was in flight for an old session never lands in a new one. Pure: no I/O, no clock. */
#ifndef PROFD_DAEMON_SESSION_H
#define PROFD_DAEMON_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

#define SESSION_STATES(X)                                                                          \
    X(IDLE, "idle")                                                                                \
    X(STARTING, "starting")                                                                        \
    X(ACTIVE, "active")                                                                            \
    X(PAUSED, "paused")                                                                            \
    X(GATHERING, "gathering")

enum session_state {
#define X(name, text) SESSION_##name,
    SESSION_STATES(X)
#undef X
};
const char *session_state_name(enum session_state state);

enum session_event {
    SESSION_EVENT_START,
    SESSION_EVENT_STARTED,
    SESSION_EVENT_PAUSE,
    SESSION_EVENT_RESUME,
    SESSION_EVENT_GATHER,
    SESSION_EVENT_GATHERED,
    SESSION_EVENT_STOP,
    /* Of sampling alone: the state stays as it is. */
    SESSION_EVENT_PAUSE_SAMPLING,
    SESSION_EVENT_RESUME_SAMPLING,
};

/* What a start asks for. */
struct session_settings {
    uint64_t interval_ns;
    uint64_t memory_limit_bytes; /* for everything */
    uint64_t features;
    uint64_t allocation_interval_bytes; /* 0: the agents' own */
    enum sampling_clock clock;          /* asked for; each process tells what it has */
    char thread_filters[MESSAGE_MAX_FILTERS + 1];
    char marker_triggers[TRIGGER_LINES_BYTES]; /* lines of ipc/trigger.h */
};

struct session {
    enum session_state state;
    enum session_state before_gathering; /* ACTIVE or PAUSED, to go back to */
    bool is_sampling_paused;             /* also while it is paused as a whole */
    uint32_t generation;                 /* of the latest session; 0 when there was none */
    uint64_t start_ns;                   /* CLOCK_MONOTONIC: the time zero of its captures */
    uint64_t end_ns;                     /* when it pauses by itself; 0: never */
    uint32_t restart_count;              /* of profd, while it lasted */
    uint32_t unseen_count;               /* processes that ended while there was no profd */
    struct session_settings settings;
};

/* Does what EVENT does. 0; -EINVAL when the present state has no such move: nothing changes, and
 * session_refusal() says why. */
int session_move(struct session *session, enum session_event event);

/* What a profd that begins at NOW_NS has instead of the last session's generation: an agent that
 * comes from an earlier profd's session never takes a new one for it. */
uint32_t session_first_generation(uint64_t now_ns);

/* Moves to starting with SETTINGS and a new generation. Errors as session_move(). */
int session_start(struct session *session, const struct session_settings *settings,
                  uint64_t now_ns);

/* One line for people: why EVENT is not possible in STATE, and what to do. */
const char *session_refusal(enum session_state state, enum session_event event);

/* True when processes that connect now take part. */
bool session_is_on(const struct session *session);

/* True when paused, also while a paused session is gathered. */
bool session_is_paused(const struct session *session);

/* The session as agents are told; generation 0 without one. OUT borrows the filters. */
void session_describe(const struct session *session, struct message_session *out);

#endif
