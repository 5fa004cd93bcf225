/* The requests of a minute: bodies that a server takes, each of about a megabyte at most, in the
 * spool. One thread. */
#ifndef PROFD_PROFCTL_PUSH_REQUESTS_H
#define PROFD_PROFCTL_PUSH_REQUESTS_H

#include "profctl/export/export_target.h"

/* Makes requests of KIND, which is not one of ClickHouse's tables, and adds them to SPOOL, which
 * counts what it cannot keep. Returns how many rows of the minute they are. */
uint64_t push_requests_spool(enum export_kind kind, const struct export_minute *minute,
                             struct spool *spool);

#endif
