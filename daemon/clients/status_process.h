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

/* CHILD as JSON, of which *MOST_BYTES is an upper bound when printed; CENSUS has its lease. */
cJSON *status_process_make(const struct child *child, const struct lease_census *census,
                           size_t *most_bytes);

/* Counts the sampling clock of CHILD, if it has one. */
void status_process_add_clock(const struct child *child, struct clock_summary *summary);

/* Adds what CHILD has produced and dropped to *SUM, also if its record has expired. */
void status_process_add_account(const struct child *child, struct block_account *sum);

/* The memory of CHILD's arena by the kernel's count, while it is not in the exit store. */
uint64_t child_kernel_bytes(const struct child *child);

/* Whole milliseconds since SINCE_NS, as a JSON number. */
double status_milliseconds_since(uint64_t since_ns);

#endif
