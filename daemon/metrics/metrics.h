/* Metrics for Prometheus, of everything that profd sees: groups, processes, memory, profd itself.
 *
 * Off unless profd is told where to serve them. Loop thread. */
#ifndef PROFD_DAEMON_METRICS_H
#define PROFD_DAEMON_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "daemon/metrics/group_totals.h"
#include "daemon/metrics/metrics_address.h"
#include "daemon/metrics/process_counts.h"

struct child;
struct child_table;
struct metrics_server;
struct metrics_view;

struct metrics_events {
    /* A page is being made: puts what profd knows of itself, of its memory and of the session into
     * VIEW, in which processes and groups are told already. */
    void (*on_page)(struct metrics_view *view, void *context);
};

struct metrics {
    const struct child_table *children; /* borrowed */
    const struct metrics_events *events;
    void *context;
    bool is_open;
    struct group_totals groups;
    struct process_counts processes;
    struct metrics_listener listener;
    struct metrics_server *server;
    unsigned processors;
    uint64_t start_unix_ns;
    uint64_t pages_made;
};

/* *METRICS is zeroed. Nothing is counted until they are served. */
void metrics_init(struct metrics *metrics, const struct child_table *children,
                  const struct metrics_events *events, void *context);

/* Begins to serve at ADDRESS, which people wrote as TEXT. 0, or a negative errno; what went wrong
 * was logged. Needs metrics_close() either way. */
int metrics_open(struct metrics *metrics, uv_loop_t *loop, const struct metrics_address *address,
                 const char *text);
/* Hangs up on everybody. Safe to repeat, and without metrics_open(). */
void metrics_close(struct metrics *metrics);

/* CHILD has ended, and its verdict may still be corrected; its arena is still here. */
void metrics_note_ended(struct metrics *metrics, const struct child *child);

/* Somebody told how PID ended, of which no child is left. */
void metrics_note_told_end(struct metrics *metrics, pid_t pid, int wait_status);

/* How CHILD ended is known by now. */
void metrics_note_verdict(struct metrics *metrics, const struct child *child);

#endif
