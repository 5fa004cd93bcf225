/* What performance groups have cost in all processes, living and ended, by program, level, kind and
 * name: numbers that only grow, for readers that look from time to time.
 *
 * A process may have written anything into its table: numbers are cut to what it can have used in
 * its lifetime. One thread. */
#ifndef PROFD_DAEMON_GROUP_TOTALS_H
#define PROFD_DAEMON_GROUP_TOTALS_H

#include <stdint.h>

#include "buffer/group_table.h"
#include "daemon/groups/group_tables.h"
#include "daemon/metrics/label_sets.h"
#include "json/mapped_array.h"

enum { GROUP_TOTALS_MOST = 256 }; /* sets of labels */

struct group_sum {
    uint64_t ticks, cpu_ns, wall_ns, blocked_ns;
    uint64_t cpu_within[GROUP_THRESHOLDS]; /* iterations of at most 1 ms, 2 ms, 4 ms … */
    uint64_t wall_within[GROUP_THRESHOLDS];
};

struct group_total {
    struct group_sum ended, living;
    struct group_sum told; /* at earlier looks: what is read while it changes may be less */
    uint64_t running_ns;   /* how long one of them has been running now; 0: none is */
};

struct group_totals {
    struct label_sets labels;
    struct mapped_array totals; /* struct group_total, by the index of its labels */
    uint64_t ended_folded, ended_cancelled, ended_moved;
    uint64_t folded, cancelled, moved; /* including living processes */
};

/* Returns 0 or -ENOMEM. group_totals_fini() is needed either way. */
int group_totals_init(struct group_totals *totals);
/* Frees it; safe on a zeroed one. */
void group_totals_fini(struct group_totals *totals);

/* Begins a look: forgets the numbers of living processes, each of which is then added again. */
void group_totals_begin_look(struct group_totals *totals);

/* Adds PART, of a process of PROGRAM, at NOW_NS; permanently if it has an end (struct
 * group_snapshot_process). PROCESSORS is how many processors can work for it at once. */
void group_totals_add(struct group_totals *totals, const char *program,
                      const struct group_part *part, unsigned processors, uint64_t now_ns);

/* The totals of the labels at INDEX, which is below their count: the sum of ended and living, never
 * less than at an earlier call. */
struct group_sum group_totals_tell(struct group_totals *totals, uint32_t index);

/* How long an iteration of these has been running now; 0: none is. */
uint64_t group_totals_running_ns(const struct group_totals *totals, uint32_t index);

#endif
