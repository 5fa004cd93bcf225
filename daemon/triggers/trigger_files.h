/* The captures that triggers have left in one folder, so that the oldest can be removed.
 *
 * Only files that were added here are ever removed, and only while the name still refers to the
 * same file. Names are relative to the folder's descriptor, or absolute. */
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

/* Adds NAME, which has just been written. Returns 0, -ENOMEM, or the negative errno of looking at
 * the file. */
int trigger_files_add(struct trigger_files *files, int directory_fd, const char *name);

/* Removes the oldest files until MOST are left. Returns 0 or the first error, after which the
 * others are removed all the same. */
int trigger_files_limit(struct trigger_files *files, int directory_fd, uint64_t most);

/* Forgets all; the files stay. */
void trigger_files_forget(struct trigger_files *files);

#endif
