/* Whose a session is. One recording serves up to two at once: the one that is always on
 * (profd --always), or that profctl began, and one more beside it, of profctl or of a program.
 *
 * The recording has all that either asks for, at the finer of the two intervals, and each is asked
 * to know only what came after its own beginning. Pure: no I/O, no clock. */
#ifndef PROFD_DAEMON_SESSION_PARTS_H
#define PROFD_DAEMON_SESSION_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/messages.h"

/* What a start asks for. */
struct session_settings {
    uint64_t interval_ns;
    uint64_t memory_limit_bytes; /* for everything */
    uint64_t features;
    uint64_t allocation_interval_bytes; /* 0: the agents' own */
    enum sampling_clock clock;          /* asked for; each process tells what it has */
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
    struct session_part items[SESSION_PARTS_MOST]; /* in the order in which they began */
    unsigned count;
};

/* Owners other than programs are one each. */
bool session_owner_is(const struct session_owner *a, const struct session_owner *b);

/* The one of OWNER; NULL: it has none. */
const struct session_part *session_parts_find(const struct session_parts *parts,
                                              const struct session_owner *owner);

/* Whether what SETTINGS ask for can be had beside what is on. 0; -EALREADY when OWNER has one,
 * -EBUSY when it cannot, with one line for people in *REFUSAL. */
int session_parts_check(const struct session_parts *parts, const struct session_owner *owner,
                        const struct session_settings *settings, const char **refusal);

/* Adds one that session_parts_check() has nothing against. */
void session_parts_add(struct session_parts *parts, const struct session_owner *owner,
                       const struct session_settings *settings, uint64_t since_ns);

/* OWNER, who has one, asks for other SETTINGS. */
void session_parts_change(struct session_parts *parts, const struct session_owner *owner,
                          const struct session_settings *settings);

/* 0, or -ESRCH when OWNER has none. */
int session_parts_remove(struct session_parts *parts, const struct session_owner *owner);

/* What one recording needs to serve all of PARTS, of which there is one at least. */
void session_parts_fold(const struct session_parts *parts, struct session_settings *out);

#endif
