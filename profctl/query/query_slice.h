/* Which rows a query is about, and the SQL that asks for them. Pure. */
#ifndef PROFD_PROFCTL_QUERY_SLICE_H
#define PROFD_PROFCTL_QUERY_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/clickhouse/sql_text.h"

enum { QUERY_MAX_CONDITIONS = 24, QUERY_MAX_STACKS = 200000 };

/* What a column or a label is. Views. */
struct query_condition {
    const char *key, *value;
    size_t key_length;
};

struct query_slice {
    const char *database;
    uint32_t from_s, to_s; /* minutes that begin from then on, and before then */
    struct query_condition conditions[QUERY_MAX_CONDITIONS];
    size_t condition_count;
    bool is_jank; /* jank in place of CPU time, samples and allocations */
};

/* Adds KEY=VALUE; a later one for the same key is one more condition. Returns 0; -EINVAL for what
 * has no key; or -E2BIG. */
int query_slice_add(struct query_slice *slice, const char *text);
int query_slice_add_value(struct query_slice *slice, const char *key, const char *value);

/* Rows (RowBinary): program, thread, stack, cpu_ns Int64, samples UInt64, allocated_bytes UInt64,
 * and of how many rows that is the sum, UInt64; sorted by the first two. The QUERY_MAX_STACKS with
 * the most CPU time. Of jank, cpu_ns is what there was of it, and the next two are 0. */
void query_slice_put_rows(const struct query_slice *slice, struct sql_text *sql);

/* Rows: stack, frames Array(String), of all stacks that those rows may have. */
void query_slice_put_stacks(const struct query_slice *slice, struct sql_text *sql);

#endif
