/* The owners of a session. One recording serves up to two sessions at once: the one that is always
 * on (profd --always) or that profctl started, and one more beside it, of profctl or of a program.
 *
 * The recording has everything that either asks for, at the shorter of the two intervals. Each
 * session is given only what was recorded after its own start. Pure: no I/O, no clock. */
#ifndef PROFD_DAEMON_SESSION_PARTS_H
#define PROFD_DAEMON_SESSION_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/messages.h"

/* What a start asks for. */
struct session_settings {
    uint64_t interval_ns;
    uint64_t memory_limit_bytes; /* for all recordings together */
    uint64_t features;
    uint64_t allocation_interval_bytes; /* 0: the agents' default */
    enum sampling_clock clock;          /* as requested; each process reports the one it uses */
    char thread_filters[MESSAGE_MAX_FILTERS + 1];
    char marker_triggers[TRIGGER_LINES_BYTES]; /* lines of common/trigger.h */
};

#define SESSION_OWNERS(X)                                                                          \
    X(PROFD, "profd")     /* --always: ends with profd */                                          \
    X(USER, "user")       /* somebody who runs profctl */                                          \
    X(PROGRAM, "program") /* a process, by the API; ends with it */

enum session_owner_kind {
#define X(name, text) SESSION_OWNER_##name,
    SESSION_OWNERS(X)
#undef X
};
const char *session_owner_name(enum session_owner_kind kind);

struct session_owner {
    enum session_owner_kind kind;
    pid_t pid; /* of a program; else 0 */
};
extern const struct session_owner session_owner_always_on; /* of --always */
extern const struct session_owner session_owner_user;

struct session_part {
    struct session_owner owner;
    uint64_t since_ns; /* CLOCK_MONOTONIC */
    struct session_settings settings;
};

enum { SESSION_PARTS_MOST = 2 };

struct session_parts {
    struct session_part items[SESSION_PARTS_MOST]; /* in the order of their starts */
    unsigned count;
};

/* Whether A and B are the same owner. There is only one owner of each kind other than PROGRAM. */
bool session_owner_is(const struct session_owner *a, const struct session_owner *b);

/* The part of OWNER; NULL: it has none. */
const struct session_part *session_parts_find(const struct session_parts *parts,
                                              const struct session_owner *owner);

/* Checks whether a session with SETTINGS can run beside those that are on. Returns 0; -EALREADY if
 * OWNER already has one, or -EBUSY if it cannot, with one line for people in *REFUSAL. */
int session_parts_check(const struct session_parts *parts, const struct session_owner *owner,
                        const struct session_settings *settings, const char **refusal);

/* Adds a part that session_parts_check() allows. */
void session_parts_add(struct session_parts *parts, const struct session_owner *owner,
                       const struct session_settings *settings, uint64_t since_ns);

/* Changes the settings of OWNER's part, which exists. */
void session_parts_change(struct session_parts *parts, const struct session_owner *owner,
                          const struct session_settings *settings);

/* Returns 0, or -ESRCH if OWNER has no part. */
int session_parts_remove(struct session_parts *parts, const struct session_owner *owner);

/* The settings with which one recording serves all PARTS, of which there is at least one. */
void session_parts_fold(const struct session_parts *parts, struct session_settings *out);

#endif
