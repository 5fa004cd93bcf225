/* What performance groups have cost in all processes together, those that have ended too, by
 * program, level, kind and name: numbers that only grow, for readers that look now and then.
 *
 * A process may have written anything into its table: what it could not have used in its life is
 * cut. One thread. */
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
    struct group_sum told; /* before: what is read of one that works is of no one moment */
    uint64_t running_ns;   /* for how long one of them has been running now; 0: none is */
};

struct group_totals {
    struct label_sets labels;
    struct mapped_array totals; /* struct group_total, by the index of its labels */
    uint64_t ended_folded, ended_cancelled, ended_moved;
    uint64_t folded, cancelled, moved; /* of those that live, too */
};

/* 0 or -ENOMEM. Needs group_totals_fini() either way. */
int group_totals_init(struct group_totals *totals);
/* Frees it; safe on a zeroed one. */
void group_totals_fini(struct group_totals *totals);

/* What living processes had at the last look is forgotten: each is added anew. */
void group_totals_begin_look(struct group_totals *totals);

/* Adds PART, of a process of PROGRAM, at NOW_NS; with an end (struct group_snapshot_process) for
 * good. PROCESSORS is how many can work for it at once. */
void group_totals_add(struct group_totals *totals, const char *program,
                      const struct group_part *part, unsigned processors, uint64_t now_ns);

/* Those of the labels at INDEX, below their count: both sums as one, and nothing less than before.
 */
struct group_sum group_totals_tell(struct group_totals *totals, uint32_t index);

/* For how long one of them has been running now; 0: none is. */
uint64_t group_totals_running_ns(const struct group_totals *totals, uint32_t index);

#endif
