/* The page that profd serves to Prometheus: the names of the metrics, their units and meaning.
 *
 * Names and labels never change. Pure, except that it reads profd's own use of resources. One
 * thread at a time. */
#ifndef PROFD_DAEMON_METRICS_PAGE_H
#define PROFD_DAEMON_METRICS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/metrics/group_totals.h"
#include "daemon/metrics/process_counts.h"

/* The contents of a page; the totals are borrowed. */
struct metrics_view {
    const char *version;
    uint64_t start_unix_ns; /* of profd; CLOCK_REALTIME */
    uint64_t limit_bytes, leased_bytes, accounted_bytes, kernel_bytes;
    uint64_t exit_profiles, exit_profile_bytes, exit_profiles_expired, exit_profiles_failed;
    bool is_session_on;
    uint64_t produced_blocks, produced_bytes, dropped_blocks, dropped_bytes; /* of the session */
    uint64_t agents, clients;
    uint64_t lost_news;          /* reports of processes that did not reach profd */
    uint64_t pages_made;         /* before this one */
    struct group_totals *groups; /* they remember what was reported */
    const struct process_counts *processes;
};

/* Makes the page, to be freed with free(). Returns 0 or -ENOMEM. */
int metrics_page_make(const struct metrics_view *view, char **out, size_t *bytes);

#endif
