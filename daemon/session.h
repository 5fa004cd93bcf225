/* The life of a session: what profd is recording now, if anything.
 *
 *              ┌────────────────── stop ──────────────────┐
 *              ▼                                          │
 *     idle ──start──▶ starting ──started──▶ active ──pause──▶ paused
 *                                            │  ▲ ◀─resume──    │
 *                                         gather └─ gathered ─┐ gather
 *                                            └───▶ gathering ◀──┘
 *
 * stop is possible from every state but idle. Each start gets a new generation, so that messages in
 * flight for an old session never affect a new one.
 *
 * While a session is active, a second one may join, and either of the two may leave
 * (session_parts.h): the recording continues in the same generation with other settings, which have
 * a revision. No session can join a paused one, and neither of two can pause. Pure: no I/O, no
 * clock. */
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
    /* Another session joins, or one of two leaves: the state does not change. */
    SESSION_EVENT_JOIN,
    SESSION_EVENT_LEAVE,
    /* These concern sampling only: the state does not change. */
    SESSION_EVENT_PAUSE_SAMPLING,
    SESSION_EVENT_RESUME_SAMPLING,
};

struct session {
    enum session_state state;
    enum session_state before_gathering; /* ACTIVE or PAUSED, to go back to */
    bool is_sampling_paused;             /* kept while it is paused as a whole */
    uint32_t generation;                 /* of the latest session; 0: there was none */
    uint64_t start_ns;                   /* CLOCK_MONOTONIC: the time zero of its captures */
    uint64_t end_ns;                     /* when it pauses automatically; 0: never */
    uint32_t restart_count;              /* of profd, while it lasted */
    uint32_t unseen_count;               /* processes that ended while there was no profd */
    struct session_parts parts;          /* the sessions that share it; none when idle */
    uint32_t revision;                   /* of the settings in this generation, from 0 on */
    struct session_settings settings;    /* those that serve all parts */
};

/* Whether EVENT is possible in the current state; session_refusal_text() says why it is not. */
bool session_may_move(const struct session *session, enum session_event event);

/* Makes the move of EVENT. Callers refuse impossible requests before: an impossible move fails an
 * assertion. */
void session_move(struct session *session, enum session_event event);

/* The generation from which a profd that starts at NOW_NS counts. It is chosen so that an agent
 * from an earlier profd's session never mistakes a new session for its own. */
uint32_t session_first_generation(uint64_t now_ns);

/* Starts a session of OWNER with SETTINGS: moves to starting with a new generation, or joins the
 * session that is on. Returns 0; -EALREADY if OWNER already has one, -EBUSY if it cannot run beside
 * those that are on, or -EINVAL if the state has no such move. Then nothing has changed, and
 * *REFUSAL is one line for people. */
int session_start(struct session *session, const struct session_owner *owner,
                  const struct session_settings *settings, uint64_t now_ns, const char **refusal);

/* Ends OWNER's session; another one that is on stays on. Returns 0, or -ESRCH with a *REFUSAL if
 * OWNER has none. */
int session_stop(struct session *session, const struct session_owner *owner, const char **refusal);

/* Changes the settings of OWNER's session, which exists, to SETTINGS. */
void session_change(struct session *session, const struct session_owner *owner,
                    const struct session_settings *settings);

/* Makes the move of EVENT, which pauses or resumes, if OWNER may do so. Returns 0; -ESRCH if OWNER
 * has no session, -EBUSY if another session is on beside it, or -EINVAL if the state has no such
 * move. Then *REFUSAL is one line for people. */
int session_pause(struct session *session, const struct session_owner *owner,
                  enum session_event event, const char **refusal);

/* The session that OWNER refers to: its own or, for the user, possibly that of a program. NULL:
 * there is none. Borrowed until the next change. */
const struct session_part *session_part_of(const struct session *session,
                                           const struct session_owner *owner);

/* One line for people that says why OWNER has nothing to stop or pause; NULL if it does have a
 * session. */
const char *session_missing_reason(const struct session *session,
                                   const struct session_owner *owner);

/* One line for people that says why EVENT is not possible in STATE, and what to do. */
const char *session_refusal_text(enum session_state state, enum session_event event);

/* True if processes that connect now take part. */
bool session_is_on(const struct session *session);

/* True if a session is on and records FEATURE, a bit of common/features.h. */
bool session_has(const struct session *session, uint64_t feature);

/* True if the session is paused, also while a paused session is being captured. */
bool session_is_paused(const struct session *session);

/* Describes the session as it is sent to agents; the generation is 0 if there is none. OUT borrows
 * the filters. */
void session_describe(const struct session *session, struct message_session *out);

#endif
