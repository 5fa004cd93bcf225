/* A profile becomes rows: what was recorded between two moments, summed up by minute, by what its
 * process and thread are, and by stack.
 *
 * Of two profiles that both hold a moment, a sample is in exactly one range that ends or begins
 * there: ranges are compared with the samples' own clock, in whole nanoseconds. One thread. */
#ifndef PROFD_PROFCTL_PROFILE_ROWS_H
#define PROFD_PROFCTL_PROFILE_ROWS_H

#include <stdint.h>

#include "json/json_reader.h"
#include "profctl/clickhouse/row_binary.h"
#include "profctl/export/export_rows.h"

/* What is known of a process. Strings are views. */
struct exported_process {
    const char *program; /* the file's name … */
    const char *kind;    /* … and the process' own name, where that is another; "" */
    const char *build_id;
    const char *labels;       /* that its own environment has; NULL: not told … */
    uint64_t labels_left_out; /* … with so many more */
    int64_t pid, parent_pid;  /* as the kernel has them; below 0: not known */
};

struct profile_rows_options {
    int64_t reference_ns;    /* CLOCK_MONOTONIC where the profile's time line begins */
    uint64_t from_ns, to_ns; /* likewise: from FROM_NS on, before TO_NS */
    int64_t unix_offset_ns;  /* from that clock to the time of day */
    uint64_t minute_ns;      /* how long a "minute" is */
    /* Appends the columns of "samples" from service to label.value. 0 or a negative errno. */
    int (*describe)(void *context, const struct exported_process *process, const char *thread,
                    struct row_writer *columns);
    void *context;
};

struct profile_rows_told {
    uint64_t samples;
    int64_t cpu_ns;
    uint64_t lost_blocks; /* by the processes' own count, of all that they recorded */
};

/* Reads all of READER and adds what is in the range to ROWS. 0, -EPROTO for what is no profile of
 * profd, -ENOMEM, the reader's error, or that of describe. */
int profile_rows_read(struct json_reader *reader, const struct profile_rows_options *options,
                      struct export_rows *rows, struct profile_rows_told *told);

#endif
