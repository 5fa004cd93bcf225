/* Reads the tables of performance groups (buffer/group_table.h) of processes, which may have
 * written anything into them. Every number is checked; at worst, groups are missing or wrong.
 *
 * Pure; any thread. */
#ifndef PROFD_BUFFER_GROUP_READER_H
#define PROFD_BUFFER_GROUP_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/group_peaks.h"
#include "buffer/group_table.h"

/* One group, as it was when it was read. The texts are not terminated, may contain any bytes, and
 * point into the memory that was read. */
struct group_view {
    const char *kind, *name;
    size_t kind_bytes, name_bytes;
    uint32_t flags;
    int32_t thread;
    uint64_t id;
    uint64_t place; /* offset in the table, which identifies the record: records are never moved,
                     * and threads of the same name use one record in turn */
    uint64_t running_since_ns; /* 0: it was not running */
    uint64_t ticks;
    struct group_costs costs;
    uint64_t cpu_exceeded[GROUP_THRESHOLDS];
    uint64_t wall_exceeded[GROUP_THRESHOLDS];
};

/* A walk over the records in MEMORY. Everything but the first two members starts as zero. */
struct group_reader {
    const uint8_t *memory;
    size_t bytes;
    size_t at;
};

/* Reads the next group. Returns false at the end, or if the following bytes are not a record. */
bool group_reader_next(struct group_reader *reader, struct group_view *out);

/* Finds the next record of peaks and points *OUT at it in place. Returns false as
 * group_reader_next() does. Needs a walk of its own. */
bool group_reader_next_peaks(struct group_reader *reader, const struct group_peaks **out);

/* Returns how many bytes of the table can be read from a file of FILE_BYTES; 0 if the table's
 * numbers make no sense. */
uint64_t group_table_readable_bytes(const struct group_table_header *table, uint64_t file_bytes);

#endif
