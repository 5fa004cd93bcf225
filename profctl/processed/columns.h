/* Columns of numbers in a processed profile: arrays of JSON, or slabs of binary numbers beside it
 * (slabs.h). One thread. */
#ifndef PROFD_PROFCTL_COLUMNS_H
#define PROFD_PROFCTL_COLUMNS_H

#include "profctl/processed/slabs.h"

/* Where a profile's values go. Both are borrowed. */
struct column_output {
    struct json_writer *json;
    struct slabs *slabs; /* NULL: all is JSON */
};

/* The member NAME of the open object, a column; TYPE is what a slab of it holds. */
void column_start(const struct column_output *output, const char *name, enum slab_type type);
void column_put(const struct column_output *output, int64_t value);
/* NANOSECONDS as milliseconds; the column is of SLAB_FLOAT64. */
void column_put_time_ms(const struct column_output *output, int64_t nanoseconds);
void column_end(const struct column_output *output);

#endif
