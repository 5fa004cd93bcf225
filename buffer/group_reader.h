/* Reads tables of performance groups (buffer/group_table.h) of processes that may have written
 * anything there: every number is checked, and the worst is that groups are missing or wrong.
 *
 * Pure; any thread. */
#ifndef PROFD_BUFFER_GROUP_READER_H
#define PROFD_BUFFER_GROUP_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/group_peaks.h"
#include "buffer/group_table.h"

/* One group, as it was when it was read. The texts are not terminated, are any bytes, and lie in
 * the memory that was read. */
struct group_view {
    const char *kind, *name;
    size_t kind_bytes, name_bytes;
    uint32_t flags;
    int32_t thread;
    uint64_t id;
    uint64_t place; /* in the table: records are never moved, and threads of one name share one in
                     * turn */
    uint64_t running_since_ns; /* 0: it did not run */
    uint64_t ticks;
    struct group_costs costs;
    uint64_t cpu_exceeded[GROUP_THRESHOLDS];
    uint64_t wall_exceeded[GROUP_THRESHOLDS];
};

/* A walk over the records in MEMORY; zeroed but for these two. */
struct group_reader {
    const uint8_t *memory;
    size_t bytes;
    size_t at;
};

/* The next group. False at the end, or where what follows is no record. */
bool group_reader_next(struct group_reader *reader, struct group_view *out);

/* The next record of peaks, in place. To be called in a walk of its own. */
bool group_reader_next_peaks(struct group_reader *reader, const struct group_peaks **out);

/* How many of the table's bytes there are to read in a file of FILE_BYTES; 0 when its numbers make
 * no sense. */
uint64_t group_table_readable_bytes(const struct group_table_header *table, uint64_t file_bytes);

#endif
