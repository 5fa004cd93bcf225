/* Merges the rows of a snapshot that belong together. Pure; one thread. */
#ifndef PROFD_IPC_GROUP_MERGE_H
#define PROFD_IPC_GROUP_MERGE_H

#include "ipc/groups/group_rows.h"

/* What a row stands for. */
enum group_rows_by {
    GROUP_ROWS_BY_GROUP = 0, /* groups with the same kind and name, in all processes */
    GROUP_ROWS_BY_PROCESS,   /* all threads of a process */
    GROUP_ROWS_BY_THREAD,
};

/* Adds up the rows that belong together into the first of them. By process and by thread, only the
 * rows of whole threads are used; by group, only the others. If there are none of these, because a
 * filter has left only the others, threads are used by group, and groups by process. Returns 0, or
 * -ENOMEM: then ROWS are unchanged. */
int group_rows_merge(struct group_rows *rows, enum group_rows_by by);

#endif
