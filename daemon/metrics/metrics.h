/* Metrics for Prometheus about everything that profd sees: groups, processes, memory, and profd
 * itself.
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
    /* A page is being made: adds what profd knows about itself, its memory and the session to VIEW,
     * which already has processes and groups. */
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

/* *METRICS is zeroed before. Nothing is counted until metrics are served. */
void metrics_init(struct metrics *metrics, const struct child_table *children,
                  const struct metrics_events *events, void *context);

/* Begins to serve at ADDRESS, which the user wrote as TEXT. Returns 0, or a negative errno, which
 * has been logged. metrics_close() is needed either way. */
int metrics_open(struct metrics *metrics, uv_loop_t *loop, const struct metrics_address *address,
                 const char *text);
/* Closes all connections. Safe to repeat, and without metrics_open(). */
void metrics_close(struct metrics *metrics);

/* CHILD has ended, and its verdict may still be corrected; its arena is still here. */
void metrics_note_ended(struct metrics *metrics, const struct child *child);

/* Another process reported how PID ended, which is no longer a child. */
void metrics_note_told_end(struct metrics *metrics, pid_t pid, int wait_status);

/* It is now known how CHILD ended. */
void metrics_note_verdict(struct metrics *metrics, const struct child *child);

#endif
