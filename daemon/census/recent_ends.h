/* Processes that ended a moment ago and were forgotten, since there was no session. If such an end
 * is reported again, perhaps during a session by then, it is ignored.
 *
 * The number of places is fixed: of two pids with the same place, the later one stays. Pure; one
 * thread. */
#ifndef PROFD_DAEMON_RECENT_ENDS_H
#define PROFD_DAEMON_RECENT_ENDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RECENT_ENDS = 1024 };

/* How long after the end of a child its parent, which waits for it, reports it at the latest; after
 * that, the pid may belong to another process. */
#define RECENT_END_NS UINT64_C(5000000000)

struct recent_ends {
    struct recent_end {
        pid_t pid; /* 0: none */
        uint64_t end_ns;
    } places[RECENT_ENDS];
};

/* PID ended at END_NS. */
void recent_ends_put(struct recent_ends *ends, pid_t pid, uint64_t end_ns);

/* Whether the end of PID that is reported at TOLD_NS is one of these. If so, it is removed. */
bool recent_ends_take(struct recent_ends *ends, pid_t pid, uint64_t told_ns);

#endif
