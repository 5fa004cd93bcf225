/* Groups as series of profiles, for Pyroscope and Parca: each has labels and a profile of pprof.
 * One thread. */
#ifndef PROFD_PROFCTL_PUSH_SERIES_H
#define PROFD_PROFCTL_PUSH_SERIES_H

#include "profctl/export/export_batch.h"
#include "profctl/push/push_groups.h"

/* Appends the series of GROUP, of a minute of EVERY_NS, to BODY (char), a request of KIND: they may
 * follow each other there. Returns 0, -ENOMEM, or the error of minute_pprof_write(). */
int push_series_add(const struct export_rows *rows, const struct push_group *group,
                    enum export_kind kind, uint64_t every_ns, struct mapped_array *body);

#endif
