/* A perf event that profd keeps for the only thread of a process (buffer/event_loan.h).
 *
 * What is wanted stands in the process' arena, which is untrusted: it is given no more than an
 * event of its own, which sends its own thread a signal. Any one thread. */
#ifndef PROFD_DAEMON_LENT_EVENT_H
#define PROFD_DAEMON_LENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Zeroed memory is none. */
struct lent_event {
    bool is_lent;
    int descriptor;              /* owned, if it is lent */
    int wanted_signal;           /* by the wish that was last answered … */
    uint64_t wanted_interval_ns; /* … maybe with a refusal, which stands until there is another */
};

/* Who borrows; all borrowed from the caller. */
struct borrower {
    pid_t pid; /* of the process, which is its only thread's number */
    int pidfd; /* so that nobody else is meant */
    int arena_fd;
};

/* Lends BORROWER what its arena says it wants, takes back what that no longer wants, and writes
 * into the arena what there is, or why not. 0; -ESRCH when the process has ended, -EINVAL when it
 * wants what cannot be, -EMFILE, or what the kernel says. Then nothing is lent. */
int lent_event_follow(struct lent_event *event, const struct borrower *borrower);

/* Nothing is sent until it goes on. Without an event both do nothing. */
void lent_event_rest(struct lent_event *event, bool is_resting);

/* Takes it back, and says so in the arena of who borrowed it (-1: there is none any more). Safe to
 * repeat. */
void lent_event_take_back(struct lent_event *event, int arena_fd);

#endif
