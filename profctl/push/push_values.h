/* What is told of each stack, under the names that servers know. Pure. */
#ifndef PROFD_PROFCTL_PUSH_VALUES_H
#define PROFD_PROFCTL_PUSH_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "profctl/export/sum_table.h"

enum push_value {
    PUSH_SAMPLES,
    PUSH_CPU,
    PUSH_ALLOC_OBJECTS,
    PUSH_ALLOC_SPACE,
    PUSH_JANK,
    PUSH_VALUES,
};

struct push_value_name {
    const char *type, *unit;
};

extern const struct push_value_name push_value_names[PUSH_VALUES];

/* CPU time below 0, which a later minute made up for, is none. */
int64_t push_value_of(const struct sums *sums, enum push_value value);

#endif
