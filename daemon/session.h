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
 * was in flight for an old session never lands in a new one.
 *
 * While it is active another session may join, and each of the two may leave (session_parts.h): the
 * recording continues in the same generation, on other terms, which have a revision. A paused one
 * is joined by none, and of two none pauses. Pure: no I/O, no clock. */
#ifndef PROFD_DAEMON_SESSION_H
#define PROFD_DAEMON_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/session_parts.h"
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
    /* Another session begins or ends beside the one that stays: the state is the same. */
    SESSION_EVENT_JOIN,
    SESSION_EVENT_LEAVE,
    /* Of sampling alone: the state stays as it is. */
    SESSION_EVENT_PAUSE_SAMPLING,
    SESSION_EVENT_RESUME_SAMPLING,
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
    struct session_parts parts;          /* whose it is; none when idle */
    uint32_t revision;                   /* of settings, in this generation: from 0 */
    struct session_settings settings;    /* what serves all parts */
};

/* Whether the present state has the move that EVENT makes; session_refusal_text() says why not. */
bool session_may_move(const struct session *session, enum session_event event);

/* Makes it. Requests that are impossible are refused before: an impossible move is asserted. */
void session_move(struct session *session, enum session_event event);

/* What a profd that begins at NOW_NS has instead of the last session's generation: an agent that
 * comes from an earlier profd's session never takes a new one for it. */
uint32_t session_first_generation(uint64_t now_ns);

/* A session of OWNER with SETTINGS: moves to starting with a new generation, or joins what is on.
 * 0; -EALREADY when OWNER has one, -EBUSY when there is no room beside what is on, or -EINVAL when
 * the state has no such move: nothing changed, and *REFUSAL is one line for people. */
int session_start(struct session *session, const struct session_owner *owner,
                  const struct session_settings *settings, uint64_t now_ns, const char **refusal);

/* Ends OWNER's session; another one that is on stays on. 0, or -ESRCH with a *REFUSAL. */
int session_stop(struct session *session, const struct session_owner *owner, const char **refusal);

/* OWNER, who has a session, asks for other SETTINGS. */
void session_change(struct session *session, const struct session_owner *owner,
                    const struct session_settings *settings);

/* Does what EVENT, a pause or its end, does, if OWNER may: 0; -ESRCH when it has no session, -EBUSY
 * when another one is on beside it, or -EINVAL when the state has no such move. Then *REFUSAL is
 * one line for people. */
int session_pause(struct session *session, const struct session_owner *owner,
                  enum session_event event, const char **refusal);

/* The session that OWNER means by its own: the user may also mean that of a program. NULL: there is
 * none. Borrowed until the next change. */
const struct session_part *session_part_of(const struct session *session,
                                           const struct session_owner *owner);

/* One line for people: why OWNER has nothing to stop or pause. NULL: it has a session. */
const char *session_missing_reason(const struct session *session,
                                   const struct session_owner *owner);

/* One line for people: why EVENT is not possible in STATE, and what to do. */
const char *session_refusal_text(enum session_state state, enum session_event event);

/* True when processes that connect now take part. */
bool session_is_on(const struct session *session);

/* True when it is on and records FEATURE, a bit of common/features.h. */
bool session_has(const struct session *session, uint64_t feature);

/* True when paused, also while a paused session is gathered. */
bool session_is_paused(const struct session *session);

/* The session as agents are told; generation 0 without one. OUT borrows the filters. */
void session_describe(const struct session *session, struct message_session *out);

#endif
