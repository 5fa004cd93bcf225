/* A perf event that profd holds for the only thread of a process (buffer/event_loan.h).
 *
 * The process asks for it in its arena, which is untrusted: all it can get is an event of its own
 * that sends its own thread a signal. One thread at a time. */
#ifndef PROFD_DAEMON_LENT_EVENT_H
#define PROFD_DAEMON_LENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A zeroed one holds no event. */
struct lent_event {
    bool is_lent;
    int descriptor;              /* owned, if it is lent */
    int wanted_signal;           /* as last asked for and answered … */
    uint64_t wanted_interval_ns; /* … perhaps with a refusal, which holds until it asks again */
};

/* The borrowing process; all belongs to the caller. */
struct borrower {
    pid_t pid; /* of the process, and of its only thread */
    int pidfd; /* guards against a reused pid */
    int arena_fd;
};

/* Lends BORROWER the event that its arena asks for, takes back one that it no longer wants, and
 * writes the result or the refusal into the arena. Returns 0; or, with nothing lent, -ESRCH if
 * the process has ended, -EINVAL if it asks for something impossible, -EMFILE, or the kernel's
 * error. */
int lent_event_follow(struct lent_event *event, const struct borrower *borrower);

/* Stops the event from sending signals, or lets it continue. Does nothing if no event is lent. */
void lent_event_rest(struct lent_event *event, bool is_resting);

/* Takes the event back, and says so in the borrower's arena ARENA_FD (-1: it is gone). Safe to
 * repeat. */
void lent_event_take_back(struct lent_event *event, int arena_fd);

#endif
