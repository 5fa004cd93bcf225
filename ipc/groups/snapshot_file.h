/* A snapshot in the file that profd wrote it into, as rows. One thread. */
#ifndef PROFD_IPC_SNAPSHOT_FILE_H
#define PROFD_IPC_SNAPSHOT_FILE_H

#include <stddef.h>

#include "ipc/groups/group_rows.h"

/* Zeroed: none. */
struct snapshot_file {
    void *memory; /* owned; the rows' texts lie here */
    size_t bytes;
    struct group_rows rows;
};

/* Maps what is in FD, which stays the caller's and may be closed. 0, -EPROTO when it is no
 * snapshot, or another negative errno; needs snapshot_file_close() either way. */
int snapshot_file_map(int fd, struct snapshot_file *out);

/* Safe to repeat. */
void snapshot_file_close(struct snapshot_file *snapshot);

#endif
