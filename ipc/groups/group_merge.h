/* Rows of a snapshot that belong together become one. Pure; one thread. */
#ifndef PROFD_IPC_GROUP_MERGE_H
#define PROFD_IPC_GROUP_MERGE_H

#include "ipc/groups/group_rows.h"

/* What a row stands for. */
enum group_rows_by {
    GROUP_ROWS_BY_GROUP = 0, /* groups of one kind and name, in all processes */
    GROUP_ROWS_BY_PROCESS,   /* all threads of a process */
    GROUP_ROWS_BY_THREAD,
};

/* Adds up what belongs together: of a group or process, the first of the snapshot has the sum. The
 * rows of whole threads are those by process and by thread, and the others by group. Where there
 * are none of these, by group threads count, and by process groups: a filter may have left only
 * those. 0, or -ENOMEM: ROWS are as they were. */
int group_rows_merge(struct group_rows *rows, enum group_rows_by by);

#endif
