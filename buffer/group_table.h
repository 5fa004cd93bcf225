/* The table of performance groups of one process: what each group has cost since monitoring began.
 *
 * It is a part of the arena, behind the chunks. So, like the chunks, it outlives the process, and
 * every process that has the arena can read it at any moment, even while the process itself is
 * stopped or hangs. It belongs to no session. Records follow one another and are never moved or
 * freed: when the last reference to a group is gone, its totals remain, and the next group of the
 * same kind and name continues with them.
 *
 * Its memory comes from the process's lease; one process may use at most an eighth of the limit.
 * Groups that find no room share one group, called "other", and are counted. */
#ifndef PROFD_BUFFER_GROUP_TABLE_H
#define PROFD_BUFFER_GROUP_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/group_thresholds.h"

enum {
    GROUP_TEXT_MAX_BYTES = 255,           /* of a kind, and of a name */
    GROUP_TABLE_BYTES = 16 * 1024 * 1024, /* the most room; used only as needed */
    GROUP_TABLE_LIMIT_SHARE = 8,          /* the share of the memory limit: one in so many */
};

/* Properties of a group. The numbers are stored in arenas and sent in messages: append, never
 * reuse. */
enum group_flags {
    GROUP_IS_TOP = 1,    /* a thread as a whole */
    GROUP_IS_UNIT = 2,   /* contains a single unit, and no time of units nested in it */
    GROUP_IS_SYSTEM = 4, /* the program's own code, not that of its guests */
    GROUP_IS_OTHER = 8,  /* all groups that found no room */
    GROUP_IS_PEAKS = 16, /* not a group, but the peaks of one; see group_peaks.h */
};

/* The part that is in the arena's header. */
struct group_table_header {
    uint64_t offset; /* offset of the records in the arena; 0: no table */
    uint64_t room_bytes;
    _Atomic uint64_t used_bytes; /* release-stored after each record */
    _Atomic uint64_t folded;     /* groups that were merged into "other" */
    _Atomic uint64_t since_ns;   /* when monitoring began; CLOCK_MONOTONIC; 0: never */
    _Atomic uint64_t cancelled;  /* measurements that were not ended as they were begun */
    _Atomic uint64_t moved;      /* measurements that ended on another processor */
};

/* One group. All counters only grow, except for running_since_ns. */
struct group_record {
    uint32_t bytes; /* size of the record with its text; a multiple of 8 */
    uint32_t flags;
    uint8_t kind_bytes, name_bytes; /* lengths in the text: kind, then name */
    uint16_t reserved;
    _Atomic int32_t thread;            /* of a top group: the thread's id; else 0 */
    uint64_t id;                       /* the embedder's own id; 0: none */
    _Atomic uint64_t running_since_ns; /* CLOCK_MONOTONIC; 0: not running at the moment */
    _Atomic uint64_t ticks;            /* iterations in which it ran */
    _Atomic uint64_t cpu_ns;
    _Atomic uint64_t wall_ns; /* wall-clock time from begin to end */
    _Atomic uint64_t blocked_ns;
    _Atomic uint64_t unattributed_ns; /* the part of a top group's CPU time that is outside of all
                                       * units */
    _Atomic uint64_t cpu_exceeded[GROUP_THRESHOLDS];
    _Atomic uint64_t wall_exceeded[GROUP_THRESHOLDS];
    char text[];
};

/* What one or several iterations add. */
struct group_costs {
    uint64_t cpu_ns, wall_ns, blocked_ns, unattributed_ns;
};

/* Adds COSTS without counting an iteration. Any thread; several may call it at once. */
void group_record_add(struct group_record *record, const struct group_costs *costs);

/* Ends an iteration in which RECORD ran: adds COSTS, counts the iteration, and counts the
 * thresholds that it exceeded. Any thread; several may call it at once. */
void group_record_commit(struct group_record *record, const struct group_costs *costs);

/* Returns how many thresholds a duration exceeds. These are always the first ones. Pure. */
unsigned group_thresholds_exceeded(uint64_t duration_ns);

#endif
