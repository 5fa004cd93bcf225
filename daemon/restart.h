/* Taking the place of a profd that was killed.
 *
 * Its agents go on recording within their leases and connect again by themselves. What they need is
 * that the new profd has the same session: it is kept in a file beside the socket, and taken over
 * together with the ledger of leases. Those who had a lease are expected back: captures wait for
 * them, but not for long. Loop thread. */
#ifndef PROFD_DAEMON_RESTART_H
#define PROFD_DAEMON_RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "buffer/lease_ledger.h"

struct daemon;
struct gathering_log;

enum {
    /* An agent that lost profd tries again after at most a second. */
    RESTART_PATIENCE_MS = 3000,
};

struct restart {
    lease_owner *awaited; /* expected back */
    size_t awaited_count;
    uv_timer_t patience;
    bool is_open;
};

/* Negative errno of the loop. */
int restart_init(struct daemon *profd);
void restart_close(struct daemon *profd);

/* The ledger was adopted: goes on with the session of its profd, if one was on. What cannot be gone
 * on with was logged. */
void restart_take_over(struct daemon *profd);

/* The session changed: keeps it for a next profd. A failure is logged. */
void restart_keep_session(const struct daemon *profd);

/* The good end: there is nothing to take over any more. */
void restart_forget_session(const struct daemon *profd);

/* OWNER is back. */
void restart_note_hello(struct daemon *profd, lease_owner owner);

/* True while somebody is expected back, or OWNER is. */
bool restart_is_awaiting(const struct daemon *profd);
bool restart_is_awaited(const struct daemon *profd, lease_owner owner);

/* Tells LOG, a capture's, about restarts. */
void restart_log(const struct daemon *profd, struct gathering_log *log);

#endif
