/* The table of performance groups of one process: what each has cost since monitoring began.
 *
 * A part of the arena, behind its chunks. So it outlives the process as they do, and can be read at
 * any moment by every process that has the arena, also while its own process is stopped or hangs.
 * It belongs to no session. Records follow one another and are never moved or freed: a group
 * without references leaves its totals, and one of the same kind and name continues with them.
 *
 * Memory is taken within the process' lease, and by one process at most an eighth of the limit;
 * groups that find no room share one, called "other", and are counted. */
#ifndef PROFD_BUFFER_GROUP_TABLE_H
#define PROFD_BUFFER_GROUP_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/group_thresholds.h"

enum {
    GROUP_TEXT_MAX_BYTES = 255,           /* of a kind, and of a name */
    GROUP_TABLE_BYTES = 16 * 1024 * 1024, /* room, not use; at most */
    GROUP_TABLE_LIMIT_SHARE = 8,          /* of the memory limit, this part */
};

/* What a group is. The numbers are kept in arenas and travel: append, never reuse. */
enum group_flags {
    GROUP_IS_TOP = 1,    /* a thread as a whole */
    GROUP_IS_UNIT = 2,   /* it holds a single unit, and no time of units inside that */
    GROUP_IS_SYSTEM = 4, /* the program's own code, not that of its guests */
    GROUP_IS_OTHER = 8,  /* all that found no room */
    GROUP_IS_PEAKS = 16, /* no group, but what one cost at most: see group_peaks.h */
};

/* In the arena's header. */
struct group_table_header {
    uint64_t offset; /* of the records, in the arena; 0: it has no table */
    uint64_t room_bytes;
    _Atomic uint64_t used_bytes; /* release-stored after each record */
    _Atomic uint64_t folded;     /* groups that are "other" */
    _Atomic uint64_t since_ns;   /* when monitoring began; CLOCK_MONOTONIC; 0: never */
    _Atomic uint64_t cancelled;  /* measures that were not finished as they were begun */
    _Atomic uint64_t moved;      /* measures that ended on another processor */
};

/* Numbers only grow, but the one of now. */
struct group_record {
    uint32_t bytes; /* of the record with its text; a multiple of 8 */
    uint32_t flags;
    uint8_t kind_bytes, name_bytes; /* of the text: kind, then name */
    uint16_t reserved;
    _Atomic int32_t thread;            /* of a top group: the thread's number; else 0 */
    uint64_t id;                       /* the embedding's own; 0: none */
    _Atomic uint64_t running_since_ns; /* CLOCK_MONOTONIC; 0: it does not run now */
    _Atomic uint64_t ticks;            /* iterations in which it ran */
    _Atomic uint64_t cpu_ns;
    _Atomic uint64_t wall_ns; /* from begin to end */
    _Atomic uint64_t blocked_ns;
    _Atomic uint64_t unattributed_ns; /* of a top group's CPU time: outside of all units */
    _Atomic uint64_t cpu_exceeded[GROUP_THRESHOLDS];
    _Atomic uint64_t wall_exceeded[GROUP_THRESHOLDS];
    char text[];
};

/* What one iteration, or several, add. */
struct group_costs {
    uint64_t cpu_ns, wall_ns, blocked_ns, unattributed_ns;
};

/* Adds COSTS of no iteration. Any thread, and several at once. */
void group_record_add(struct group_record *record, const struct group_costs *costs);

/* An iteration in which RECORD ran is over: adds COSTS, counts it, and which thresholds it
 * exceeded. Any thread, and several at once. */
void group_record_commit(struct group_record *record, const struct group_costs *costs);

/* How many thresholds a duration exceeds: the first so many are counted. Pure. */
unsigned group_thresholds_exceeded(uint64_t duration_ns);

#endif
