/* Columns of numbers in a processed profile: JSON arrays, or slabs of binary numbers next to the
 * JSON (slabs.h). One thread. */
#ifndef PROFD_PROFCTL_COLUMNS_H
#define PROFD_PROFCTL_COLUMNS_H

#include "profctl/processed/slabs.h"

/* The output of a profile's values. Both are borrowed. */
struct column_output {
    struct json_writer *json;
    struct slabs *slabs; /* NULL: everything is JSON */
};

/* Begins a column, the member NAME of the open object. TYPE is the type of its slab. */
void column_start(const struct column_output *output, const char *name, enum slab_type type);
void column_put(const struct column_output *output, int64_t value);
/* Appends NANOSECONDS as milliseconds; the column must be SLAB_FLOAT64. */
void column_put_time_ms(const struct column_output *output, int64_t nanoseconds);
void column_end(const struct column_output *output);

#endif
