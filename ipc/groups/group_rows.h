/* The performance groups of a snapshot (ipc/groups/group_snapshot.h) as rows: one for each
 * group of each process, of two snapshots subtracted.
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

/* Texts are not terminated, may be any bytes, and lie in the snapshot, as PROCESS does. */
struct group_row {
    struct group_view group;                      /* by process: without kind and name */
    const struct group_snapshot_process *process; /* of one of those that are merged */
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

/* The groups of the snapshot in MEMORY, which is aligned to 8 and outlives them, one row each; what
 * is damaged is left out. 0 with *OUT, which needs group_rows_free(); -EPROTO when it is no
 * snapshot, -ENOMEM. */
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

#endif
