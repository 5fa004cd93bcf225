/* The order of the rows of a snapshot, and which of them belong to one group or process.
 *
 * The comparison functions compare rows, for qsort(3). Pure; any thread. */
#ifndef PROFD_IPC_GROUP_ORDER_H
#define PROFD_IPC_GROUP_ORDER_H

#include "ipc/groups/group_rows.h"

enum group_rows_order {
    GROUP_ROWS_CPU = 0,
    GROUP_ROWS_WALL,
    GROUP_ROWS_BLOCKED,
    GROUP_ROWS_TICKS,
    GROUP_ROWS_JANK, /* the longest iterations first */
};

/* By process, then by place in it: 0 for the same group in another snapshot. */
int group_row_compare(const void *left, const void *right);

/* 0 for rows of the same process. A process that was restarted is another one. */
int group_row_compare_processes(const void *left, const void *right);

/* 0 for groups with the same kind and name, in all processes. */
int group_row_compare_groups(const void *left, const void *right);

/* Sorts ROWS by ORDER, largest first. */
void group_rows_sort(struct group_rows *rows, enum group_rows_order order);

/* How many thresholds of CPU time the longest iteration exceeded. */
unsigned group_row_jank(const struct group_row *row);

#endif
