/* Who ended a moment ago and was forgotten, since there was no session: when somebody else tells of
 * that end, maybe in a session by now, it is no news.
 *
 * A fixed number of places: of two pids with one place the later stays. Pure; one thread. */
#ifndef PROFD_DAEMON_RECENT_ENDS_H
#define PROFD_DAEMON_RECENT_ENDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RECENT_ENDS = 1024 };

/* Who waits for a child tells of its end so much later at most; then its pid may be another's. */
#define RECENT_END_NS UINT64_C(5000000000)

struct recent_ends {
    struct recent_end {
        pid_t pid; /* 0: none */
        uint64_t end_ns;
    } places[RECENT_ENDS];
};

/* PID ended at END_NS. */
void recent_ends_put(struct recent_ends *ends, pid_t pid, uint64_t end_ns);

/* Whether the end of PID that is told of at TOLD_NS is one of these, which it is once. */
bool recent_ends_take(struct recent_ends *ends, pid_t pid, uint64_t told_ns);

#endif
