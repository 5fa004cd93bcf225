/* The captures that triggers left in one folder, so that the oldest can go.
 *
 * Only files that were written here are ever removed, and only while the name still means the same
 * file. Names are relative to a folder's descriptor, or absolute. */
#ifndef PROFD_DAEMON_TRIGGER_FILES_H
#define PROFD_DAEMON_TRIGGER_FILES_H

#include <stdint.h>
#include <sys/types.h>

struct trigger_file;

/* A zeroed struct is empty. */
struct trigger_files {
    struct trigger_file *first, *last; /* oldest first */
    uint64_t count;
};

/* NAME was written just now. 0, -ENOMEM, or why it cannot be seen. */
int trigger_files_add(struct trigger_files *files, int directory_fd, const char *name);

/* Removes the oldest files beyond MOST. 0, or the first error; the rest is removed all the same. */
int trigger_files_limit(struct trigger_files *files, int directory_fd, uint64_t most);

/* Forgets them; the files stay. */
void trigger_files_forget(struct trigger_files *files);

#endif
