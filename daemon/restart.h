/* Taking the place of a profd that was killed, or that left its session (--keep-session).
 *
 * Its agents continue to record within their leases and reconnect by themselves. What they need is
 * that the new profd has the same session: it is kept in a file beside the socket, and taken over
 * together with the ledger of leases. Those who had a lease are expected back: captures wait for
 * them, but not for long. Loop thread. */
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
    /* An agent that lost profd tries again after at most a second. */
    RESTART_PATIENCE_MS = 3000,
};

/* What it works on; borrowed. */
struct restart_views {
    struct session *session;
    const struct child_table *children;
    struct lease_ledger *ledger;
    const char *socket_path; /* may be empty until the socket listens */
    bool has_successor;      /* a profd may come after this one */
};

/* The session that is always on, as this profd was told. */
struct restart_always_on {
    uint64_t interval_ns; /* 0: there is none */
    uint64_t limit_bytes;
};

struct restart_events {
    /* The session of the profd before, if it is on, continues here. */
    void (*on_session)(void *context);
    /* Those whose arenas are kept elsewhere become children again, with that session or without. */
    void (*on_return)(void *context);
    /* OWNER, a program that began a session, has not come back to end it. */
    void (*on_missing)(const struct session_owner *owner, void *context);
};

struct restart {
    struct restart_views views;
    const struct restart_events *events;
    void *context;
    lease_owner *awaited; /* expected back */
    size_t awaited_count;
    uv_timer_t patience;
    bool is_open;
};

/* *RESTART is zeroed. Negative errno of the loop. */
int restart_init(struct restart *restart, uv_loop_t *loop, const struct restart_views *views,
                 const struct restart_events *events, void *context);
/* Safe to repeat, and on a zeroed one. */
void restart_close(struct restart *restart);

/* The ledger was adopted: resumes the session of its profd, if one was on, with ALWAYS_ON in it. A
 * failure is logged. */
void restart_take_over(struct restart *restart, const struct restart_always_on *always_on);

/* How many children there are without those that are expected to reconnect. */
size_t restart_count_kept(const struct restart *restart);

/* The ledger was not adopted, as PAST says: the session of its profd is given up. A line tells so
 * if it was on. */
void restart_give_up(const struct restart *restart, enum ledger_past past);

/* The session changed: keeps it for a next profd. A failure is logged. */
void restart_keep_session(const struct restart *restart);

/* profd ends in good order: there is nothing to take over. */
void restart_forget_session(const struct restart *restart);

/* OWNER is back. */
void restart_note_hello(struct restart *restart, lease_owner owner);

/* True while somebody is expected back, or OWNER is. */
bool restart_is_awaiting(const struct restart *restart);
bool restart_is_awaited(const struct restart *restart, lease_owner owner);

/* Tells LOG, a capture's, about restarts. */
void restart_log(const struct restart *restart, struct gathering_log *log);

#endif
