/* What a minute of a session costs, in the status document: on average, since each of those that
 * spend it began. Loop thread. */
#ifndef PROFD_DAEMON_STATUS_COST_H
#define PROFD_DAEMON_STATUS_COST_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "buffer/block_account.h"

struct session;
struct supervisor;

/* Borrowed. */
struct status_cost_view {
    const struct session *session; /* that is on */
    const struct supervisor *supervisor;
    const struct block_account *account; /* of all processes */
    uint64_t start_ns;                   /* of profd; CLOCK_MONOTONIC */
};

/* Adds "minute_cost" to ROOT: { "profd_cpu_ms", "export_cpu_ms" (where profd exports), "blocks",
 * "bytes" (that are recorded) }. */
void status_cost_add(cJSON *root, const struct status_cost_view *view);

/* How much of AMOUNT, which took OVER_NS, is of a minute; 0 for what took no time. Pure. */
double status_cost_per_minute(double amount, uint64_t over_ns);

#endif
