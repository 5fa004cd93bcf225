/* What a minute of a session costs, for the status document: the average since the start of
 * whatever spends it. Loop thread. */
#ifndef PROFD_DAEMON_STATUS_COST_H
#define PROFD_DAEMON_STATUS_COST_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "buffer/block_account.h"

struct session;
struct supervisor;

/* Borrowed. */
struct status_cost_view {
    const struct session *session; /* it is on */
    const struct supervisor *supervisor;
    const struct block_account *account; /* of all processes */
    uint64_t start_ns;                   /* of profd; CLOCK_MONOTONIC */
};

/* Adds "minute_cost" to ROOT: { "profd_cpu_ms", "export_cpu_ms" (where profd exports), "blocks",
 * "bytes" (that are recorded) }. */
void status_cost_add(cJSON *root, const struct status_cost_view *view);

/* AMOUNT, which was spent over OVER_NS, per minute; 0 if OVER_NS is 0. Pure. */
double status_cost_per_minute(double amount, uint64_t over_ns);

#endif
