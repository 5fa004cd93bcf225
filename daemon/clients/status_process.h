/* One process in the status document. Loop thread. */
#ifndef PROFD_DAEMON_STATUS_PROCESS_H
#define PROFD_DAEMON_STATUS_PROCESS_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/block_account.h"
#include "buffer/clock_summary.h"

struct child;
struct lease_census;

/* CHILD as JSON, which takes MAX_BYTES at most, printed; CENSUS tells its lease. */
cJSON *status_process_make(const struct child *child, const struct lease_census *census,
                           size_t *most_bytes);

/* Counts the sampling clock of CHILD, if it has one. */
void status_process_add_clock(const struct child *child, struct clock_summary *summary);

/* Adds what CHILD has produced and dropped, also of a record that has expired. */
void status_process_add_account(const struct child *child, struct block_account *sum);

/* What CHILD's arena takes while it is not in the exit store, as the kernel counts. */
uint64_t child_kernel_bytes(const struct child *child);

/* Whole milliseconds, as a number of JSON. */
double status_milliseconds_since(uint64_t since_ns);

#endif
