/* In which order the rows of a snapshot are, and which of them are of one group or process.
 *
 * The comparisons are those of qsort(3), of rows. Pure; any thread. */
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

/* By process, and within one by place: 0 for a group and itself in another snapshot. */
int group_row_compare(const void *left, const void *right);

/* 0 for rows of one process. One that was started again is another one. */
int group_row_compare_processes(const void *left, const void *right);

/* 0 for groups of one kind and name, in all processes. */
int group_row_compare_groups(const void *left, const void *right);

/* The most of ORDER first. */
void group_rows_sort(struct group_rows *rows, enum group_rows_order order);

/* How many thresholds the longest iteration exceeded, of CPU time. */
unsigned group_row_jank(const struct group_row *row);

#endif
