/* The rows to export for a minute or more: sums by source and stack, both as RowBinary for the
 * server. Equal sources and stacks are stored once. One thread. */
#ifndef PROFD_PROFCTL_EXPORT_ROWS_H
#define PROFD_PROFCTL_EXPORT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "json/unique_strings.h"
#include "profctl/clickhouse/row_binary.h"
#include "profctl/export/frame_files.h"
#include "profctl/export/sum_table.h"

enum { STACK_HASH_BYTES = 16 };

/* Initialised by export_rows_init(). */
struct export_rows {
    struct failure_latch latch;
    struct unique_strings sources; /* their columns: service … label.value */
    struct unique_strings stacks;  /* likewise: frames … module.build_id */
    struct mapped_array hashes;    /* char[STACK_HASH_BYTES] of each stack */
    struct frame_files files;      /* of their frames; not in the rows */
    struct sum_table sums;
};

void export_rows_init(struct export_rows *rows);
void export_rows_fini(struct export_rows *rows);

/* Return the number of the stack or source that COLUMNS describe; UNIQUE_NONE if memory is
 * exhausted. */
uint32_t export_rows_stack(struct export_rows *rows, const struct row_writer *columns);
uint32_t export_rows_source(struct export_rows *rows, const struct row_writer *columns);

/* Returns a 128-bit hash of the stack's columns, which is the same on every host and in every
 * version of profctl. */
const char *export_rows_hash(const struct export_rows *rows, uint32_t stack);

/* Appends a row of "samples" for each sum of the minutes FIRST_S to LAST_S to OUT, as part of
 * BATCH. Returns how many there are. */
uint64_t export_rows_write_samples(const struct export_rows *rows, uint64_t batch, uint32_t first_s,
                                   uint32_t last_s, struct row_writer *out);

/* Appends the row of "stacks" for STACK, seen at that minute. */
void export_rows_write_stack(const struct export_rows *rows, uint32_t stack, uint32_t minute_s,
                             struct row_writer *out);

#endif
