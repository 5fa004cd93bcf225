/* The performance groups of a snapshot (ipc/groups/group_snapshot.h) as rows, one for each group of
 * each process; also the difference of two snapshots.
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

/* Texts are not terminated, may be any bytes, and are views into the snapshot, as PROCESS is. */
struct group_row {
    struct group_view group;                      /* by process: without kind and name */
    const struct group_snapshot_process *process; /* of one of the merged rows */
    const char *process_name;
    size_t process_name_bytes;
    const struct group_peaks *peaks; /* a view, like the texts; NULL: none */
    struct group_highest highest;    /* the new ones, after group_rows_subtract() */
    unsigned merged;                 /* groups in this row */
    uint64_t running_ns;             /* how long one has been running now; 0: none is */
};

struct group_rows {
    struct group_row *rows; /* owned */
    size_t count;
    struct group_snapshot_head head;
    uint64_t folded, cancelled, moved; /* of all processes */
};

/* Reads the groups of the snapshot in MEMORY, which is aligned to 8 and must outlive the rows;
 * damaged parts are left out. Returns 0 with *OUT, which needs group_rows_free(); -EPROTO if it is
 * not a snapshot; -ENOMEM. */
int group_rows_read(const void *memory, size_t bytes, struct group_rows *out);
void group_rows_free(struct group_rows *rows);

/* Reduces ROWS, which are not merged yet, to what came after EARLIER. New groups and processes keep
 * all that they have; those that did nothing are removed. A process that was restarted is a new
 * one. */
void group_rows_subtract(struct group_rows *rows, const struct group_rows *earlier);

/* Whether ROW, which is not merged, passes FILTER. */
bool group_row_passes(const struct group_row *row, const struct groups_filter *filter);

/* Removes from ROWS, which are not merged yet, those that do not pass FILTER. */
void group_rows_keep(struct group_rows *rows, const struct groups_filter *filter);

#endif
