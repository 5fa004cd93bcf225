/* Sums by minute, source and stack. The numbers of sources and stacks are defined by the owner. One
 * thread. */
#ifndef PROFD_PROFCTL_SUM_TABLE_H
#define PROFD_PROFCTL_SUM_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

struct sum_key {
    uint32_t minute_s; /* begin of the minute, in seconds since 1970 */
    uint32_t source, stack;
};

/* The least duration at which an event that keeps others waiting counts as jank, as in the Firefox
 * Profiler. */
enum { JANK_LEAST_MS = 50 };

struct sums {
    int64_t cpu_ns; /* may be negative, to correct the minute before or after */
    uint64_t samples;
    uint64_t allocated_bytes, allocations;
    uint64_t jank_ns; /* time in which an event had blocked an event loop for that long */
};

/* Initialised by sum_table_init(). */
struct sum_table {
    struct failure_latch latch;
    struct unique_strings keys; /* struct sum_key … */
    struct mapped_array sums;   /* … and struct sums of each */
};

void sum_table_init(struct sum_table *table);
void sum_table_fini(struct sum_table *table);

/* Adds SUMS to the row of KEY. Returns 0 or -ENOMEM. */
int sum_table_add(struct sum_table *table, const struct sum_key *key, const struct sums *sums);

size_t sum_table_count(const struct sum_table *table);
/* Return the row at INDEX, in the order in which rows were first added. */
struct sum_key sum_table_key(const struct sum_table *table, size_t index);
const struct sums *sum_table_sums(const struct sum_table *table, size_t index);

#endif
