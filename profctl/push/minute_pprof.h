/* A group of rows as a profile of pprof, with the thread as a label of each sample. One thread. */
#ifndef PROFD_PROFCTL_MINUTE_PPROF_H
#define PROFD_PROFCTL_MINUTE_PPROF_H

#include "profctl/push/push_groups.h"
#include "profctl/push/push_values.h"

/* Values that follow each other, the one that is shown first last, and the name of the profile
 * that they make. */
struct minute_profile {
    const char *name;
    enum push_value first;
    int count; /* at most MINUTE_PROFILE_VALUES */
};

enum { MINUTE_PROFILES = 3, MINUTE_PROFILE_VALUES = 2 };
extern const struct minute_profile minute_profiles[MINUTE_PROFILES];

/* Sets OUT (char) to the profile of GROUP, of a minute of EVERY_NS, not compressed. 1; 0 when it
 * would have no samples; -ENOMEM, or the error of stack_path_read(). */
int minute_pprof_write(const struct export_rows *rows, const struct push_group *group,
                       const struct minute_profile *profile, uint64_t every_ns,
                       struct mapped_array *out);

#endif
