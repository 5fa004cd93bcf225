/* Metrics for Prometheus, of everything that profd sees: groups, processes, memory, profd itself.
 *
 * Off unless profd is told where to serve them. Loop thread. */
#ifndef PROFD_DAEMON_METRICS_H
#define PROFD_DAEMON_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/metrics/group_totals.h"
#include "daemon/metrics/metrics_address.h"
#include "daemon/metrics/process_counts.h"

struct child;
struct daemon;
struct metrics_server;

struct metrics {
    bool is_open;
    struct group_totals groups;
    struct process_counts processes;
    struct metrics_listener listener;
    struct metrics_server *server;
    unsigned processors;
    uint64_t start_unix_ns;
    uint64_t pages_made;
};

/* Begins to serve, if that is wanted. 0, or a negative errno; what went wrong was logged. */
int metrics_open(struct daemon *profd);
/* Hangs up on everybody. Safe to repeat. */
void metrics_close(struct daemon *profd);

/* CHILD has ended, as its verdict says so far; its arena is still here. */
void metrics_note_ended(struct child *child);

/* Somebody told how PID ended, of which no child is left. */
void metrics_note_told_end(struct daemon *profd, pid_t pid, int wait_status);

/* How CHILD ended is known by now. */
void metrics_note_verdict(const struct child *child);

#endif
