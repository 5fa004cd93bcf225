/* Takes over from a profd that was killed, or that left its session behind (--keep-session).
 *
 * Its agents continue to record within their leases and reconnect by themselves. For that, the new
 * profd must have the same session, which is kept in a file beside the socket and taken over
 * together with the lease ledger. Processes that had a lease are expected to reconnect: captures
 * wait for them, but not for long. Loop thread. */
#ifndef PROFD_DAEMON_RESTART_H
#define PROFD_DAEMON_RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "buffer/lease_ledger.h"
#include "ipc/ledger_file.h"

struct child_table;
struct gathering_log;
struct session;
struct session_owner;

enum {
    /* Agents that lost profd try to reconnect at least once a second. */
    RESTART_PATIENCE_MS = 3000,
};

/* What it works on; borrowed. */
struct restart_views {
    struct session *session;
    const struct child_table *children;
    struct lease_ledger *ledger;
    const char *socket_path; /* may be empty until profd listens */
    bool has_successor;      /* another profd may follow this one */
};

/* The session that is always on, from this profd's own options. */
struct restart_always_on {
    uint64_t interval_ns; /* 0: there is none */
    uint64_t limit_bytes;
    uint64_t features;
};

struct restart_events {
    /* The session of the previous profd, if one was on, continues in this one. */
    void (*on_session)(void *context);
    /* Processes whose arenas are kept elsewhere are to become children again, whether there is such
     * a session or not. */
    void (*on_return)(void *context);
    /* OWNER, a program that started a session, has not reconnected to end it. */
    void (*on_missing)(const struct session_owner *owner, void *context);
};

struct restart {
    struct restart_views views;
    const struct restart_events *events;
    void *context;
    lease_owner *awaited; /* those expected to reconnect; owned */
    size_t awaited_count;
    uv_timer_t patience;
    bool is_open;
};

/* *RESTART is zeroed before. Returns 0, or a negative errno from the loop. */
int restart_init(struct restart *restart, uv_loop_t *loop, const struct restart_views *views,
                 const struct restart_events *events, void *context);
/* Safe to repeat, and on a zeroed one. */
void restart_close(struct restart *restart);

/* The ledger was adopted: resumes the session of the previous profd, if one was on, with ALWAYS_ON
 * added to it. A failure is logged. */
void restart_take_over(struct restart *restart, const struct restart_always_on *always_on);

/* The number of children, not counting those that are expected to reconnect. */
size_t restart_count_kept(const struct restart *restart);

/* The ledger was not adopted; PAST tells why. Gives up the session of the previous profd, and logs
 * that if it was on. */
void restart_give_up(const struct restart *restart, enum ledger_past past);

/* The session changed: saves it for the next profd. A failure is logged. */
void restart_keep_session(const struct restart *restart);

/* profd ends normally: there will be nothing to take over. */
void restart_forget_session(const struct restart *restart);

/* OWNER has reconnected. */
void restart_note_hello(struct restart *restart, lease_owner owner);

/* True while anybody is expected to reconnect; and while OWNER is. */
bool restart_is_awaiting(const struct restart *restart);
bool restart_is_awaited(const struct restart *restart, lease_owner owner);

/* Records the restarts in LOG, which belongs to a capture. */
void restart_log(const struct restart *restart, struct gathering_log *log);

#endif
