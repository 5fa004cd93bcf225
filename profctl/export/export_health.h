/* What an exporter reports about itself with each minute. Pure. */
#ifndef PROFD_PROFCTL_EXPORT_HEALTH_H
#define PROFD_PROFCTL_EXPORT_HEALTH_H

#include <stdint.h>

#include "profctl/clickhouse/row_binary.h"

/* A row of "health"; counts are for this minute only. */
struct export_health {
    uint32_t minute_s;
    uint64_t exporter; /* a random number for each start, since two exporters may have the same host
                        * name */
    uint64_t covered_ms;
    int64_t cpu_ns;
    uint64_t samples, rows, new_stacks;
    uint64_t export_cpu_ns; /* what the exporter itself used */
    uint64_t spooled_bytes;
    uint64_t lost_rows, lost_batches; /* the spool had no room for them, or they were refused */
    uint64_t torn_batches;            /* left half-written by a crash */
    uint64_t folded_labels;           /* values beyond the bounds */
    uint64_t lost_blocks;             /* of recordings, as counted by the processes */
    uint64_t lost_ms;                 /* too old when profd could be asked */
    uint64_t left_out_labels;   /* of processes: labels beyond the room for them, or invalid */
    uint64_t unnamed_addresses; /* of the capture; exported as numbers */
    uint64_t unsure_batches;    /* the server may lack their sums by hour */
    int64_t clock_offset_s;     /* added to the minutes */
    char missing[256];          /* what the capture lacked; "": nothing */
};

void export_health_write(const struct export_health *health, const char *host,
                         struct row_writer *out);

#endif
