/* A snapshot, in the file to which profd wrote it, as rows. One thread. */
#ifndef PROFD_IPC_SNAPSHOT_FILE_H
#define PROFD_IPC_SNAPSHOT_FILE_H

#include <stddef.h>

#include "ipc/groups/group_rows.h"

/* A zeroed one is closed. */
struct snapshot_file {
    void *memory; /* owned; the rows' texts are in it */
    size_t bytes;
    struct group_rows rows;
};

/* Maps the contents of FD, which remains the caller's and may then be closed. Returns 0, -EPROTO if
 * it is not a snapshot, or another negative errno. snapshot_file_close() is needed either way. */
int snapshot_file_map(int fd, struct snapshot_file *out);

/* Safe to repeat. */
void snapshot_file_close(struct snapshot_file *snapshot);

#endif
