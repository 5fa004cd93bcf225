/* Converts a profile to rows: what was recorded between two times, summed up by minute, by
 * properties of the process and thread, and by stack. What a program used beyond its samples is a
 * row of its main thread, without a stack, in the minute in which it ended.
 *
 * If two profiles overlap, each sample is in exactly one of two adjacent ranges: ranges are
 * compared with the samples' own clock, in whole nanoseconds. One thread. */
#ifndef PROFD_PROFCTL_PROFILE_ROWS_H
#define PROFD_PROFCTL_PROFILE_ROWS_H

#include <stdint.h>

#include "json/json_reader.h"
#include "profctl/clickhouse/row_binary.h"
#include "profctl/export/export_rows.h"
#include "profctl/export/exported_process.h"
#include "profctl/export/lost_blocks.h"
#include "profctl/export/process_rests.h"

struct profile_rows_options {
    int64_t reference_ns;    /* CLOCK_MONOTONIC at the start of the profile's time line */
    uint64_t from_ns, to_ns; /* likewise; includes FROM_NS but not TO_NS */
    int64_t unix_offset_ns;  /* from that clock to the wall clock */
    uint64_t minute_ns;      /* length of a "minute" */
    /* Appends the columns of "samples" from service to label.value. Returns 0 or a negative
     * errno. */
    int (*describe)(void *context, const struct exported_process *process, const char *thread,
                    struct row_writer *columns);
    void *context;
    struct process_rests *rests; /* of the ranges before; to be kept by the caller … */
    struct lost_blocks *losses;  /* … likewise */
};

struct profile_rows_told {
    uint64_t samples;
    int64_t cpu_ns;
    uint64_t lost_blocks; /* by the processes, and not counted in ranges before */
};

/* Reads all of READER and adds what is in the range to ROWS. Returns 0, -EPROTO if it is not a
 * profile made by profd, -ENOMEM, the reader's error, or that of describe. */
int profile_rows_read(struct json_reader *reader, const struct profile_rows_options *options,
                      struct export_rows *rows, struct profile_rows_told *told);

#endif
