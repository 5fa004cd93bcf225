/* What an exporter tells of itself with each minute. Pure. */
#ifndef PROFD_PROFCTL_EXPORT_HEALTH_H
#define PROFD_PROFCTL_EXPORT_HEALTH_H

#include <stdint.h>

#include "profctl/clickhouse/row_binary.h"

/* A row of "health"; counts are of this minute alone. */
struct export_health {
    uint32_t minute_s;
    uint64_t exporter; /* a random number for each start: two with one host's name differ */
    uint64_t covered_ms;
    int64_t cpu_ns;
    uint64_t samples, rows, new_stacks;
    uint64_t export_cpu_ns; /* what the exporter itself used */
    uint64_t spooled_bytes;
    uint64_t lost_rows, lost_batches; /* for which the spool had no room, or that were refused */
    uint64_t torn_batches;            /* that a crash left half written */
    uint64_t folded_labels;           /* values beyond the bounds */
    uint64_t lost_blocks;             /* of recordings, by the processes' count */
    uint64_t lost_ms;                 /* that were too long ago when profd could be asked */
    uint64_t left_out_labels;         /* of processes: more than there is room for, or none */
    uint64_t unnamed_addresses;       /* of the capture, which are exported as numbers */
    uint64_t unsure_batches;          /* whose sums by hour the server may lack */
    int64_t clock_offset_s;           /* that minutes were corrected by */
    char missing[256];                /* what the capture did not have; "" */
};

void export_health_write(const struct export_health *health, const char *host,
                         struct row_writer *out);

#endif
