/* The performance groups of a snapshot (ipc/groups/group_snapshot.h) as rows: of several processes
 * merged, of two snapshots subtracted, in order.
 *
 * Pure; one thread. */
#ifndef PROFD_IPC_GROUP_ROWS_H
#define PROFD_IPC_GROUP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/group_reader.h"
#include "common/groups_filter.h"
#include "ipc/groups/group_snapshot.h"

/* What a row stands for. */
enum group_rows_by {
    GROUP_ROWS_BY_GROUP = 0, /* groups of one kind and name, in all processes */
    GROUP_ROWS_BY_PROCESS,   /* all threads of a process */
    GROUP_ROWS_BY_THREAD,
};

enum group_rows_order {
    GROUP_ROWS_CPU = 0,
    GROUP_ROWS_WALL,
    GROUP_ROWS_BLOCKED,
    GROUP_ROWS_TICKS,
    GROUP_ROWS_JANK, /* the longest iterations first */
};

/* Texts are not terminated, may be any bytes, and lie in the snapshot, as PROCESS does. */
struct group_row {
    struct group_view group;               /* by process: without kind and name */
    struct group_snapshot_process process; /* of one of those that are merged */
    const char *process_name;
    size_t process_name_bytes;
    const struct group_peaks *peaks; /* in the snapshot, as the texts; NULL: it has none */
    struct group_highest highest;    /* what is new of those, after group_rows_subtract() */
    unsigned merged;                 /* groups in this row */
    uint64_t running_ns;             /* for how long one has been running now; 0: none is */
};

struct group_rows {
    struct group_row *rows; /* owned */
    size_t count;
    struct group_snapshot_head head;
    uint64_t folded, cancelled, moved; /* of all processes */
};

/* The groups of the snapshot in MEMORY, one row each; what is damaged is left out. 0 with *OUT,
 * which needs group_rows_free(); -EPROTO when it is no snapshot, -ENOMEM. */
int group_rows_read(const void *memory, size_t bytes, struct group_rows *out);
void group_rows_free(struct group_rows *rows);

/* Leaves in ROWS, not merged yet, what came after EARLIER: groups and processes that are new have
 * all that they have, and those that did nothing are left out. A process that was started again is
 * another one. */
void group_rows_subtract(struct group_rows *rows, const struct group_rows *earlier);

/* Whether FILTER lets ROW pass, which is not merged. */
bool group_row_passes(const struct group_row *row, const struct groups_filter *filter);

/* Leaves in ROWS, not merged yet, those that FILTER lets pass. */
void group_rows_keep(struct group_rows *rows, const struct groups_filter *filter);

/* Adds up what belongs together. The rows of whole threads are those by process and by thread, and
 * the others by group. Where there are none of these, by group threads count, and by process
 * groups: a filter may have left only those. */
void group_rows_merge(struct group_rows *rows, enum group_rows_by by);

/* The most of ORDER first. */
void group_rows_sort(struct group_rows *rows, enum group_rows_order order);

/* How many thresholds the longest iteration exceeded, of CPU time. */
unsigned group_row_jank(const struct group_row *row);

#endif
