/* A group of rows as a profile of pprof, with the thread as a label of each sample. One thread. */
#ifndef PROFD_PROFCTL_MINUTE_PPROF_H
#define PROFD_PROFCTL_MINUTE_PPROF_H

#include "profctl/push/push_groups.h"
#include "profctl/push/push_values.h"

/* The values of a profile: two, which follow each other. */
enum minute_profile { MINUTE_CPU = PUSH_SAMPLES, MINUTE_MEMORY = PUSH_ALLOC_OBJECTS };

/* Sets OUT (char) to the profile of GROUP, of a minute of EVERY_NS, not compressed. 1; 0 when it
 * would have no samples; -ENOMEM, or the error of stack_path_read(). */
int minute_pprof_write(const struct export_rows *rows, const struct push_group *group,
                       enum minute_profile profile, uint64_t every_ns, struct mapped_array *out);

#endif
