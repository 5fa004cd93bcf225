/* The folder of a spool. It is created if it is missing, and used by one exporter at a time; what
 * others could write to is not believed. One thread. */
#ifndef PROFD_PROFCTL_SPOOL_FOLDER_H
#define PROFD_PROFCTL_SPOOL_FOLDER_H

#include <stdbool.h>

struct spool_folder {
    char *path;    /* owned */
    int directory; /* descriptor, as the next; negative: none */
    int lock;
    bool is_of_another, is_open_to_others, is_lock_refused; /* why it was not opened */
};

/* Opens and locks the folder. Returns 0, -EWOULDBLOCK if another exporter uses it, -EPERM if it is
 * another user's or others may write to it, -EISDIR, -ELOOP or -ENXIO if its lock is no file, all
 * of which FOLDER tells, or another negative errno. FOLDER needs spool_folder_close() in any case.
 */
int spool_folder_open(const char *path, struct spool_folder *folder);
void spool_folder_close(struct spool_folder *folder);

/* Returns whether the folder was removed since it was opened. */
bool spool_folder_is_gone(const struct spool_folder *folder);

/* Opens a new folder at the same path in place of this one. Returns the same as
 * spool_folder_open(); on an error FOLDER stays unchanged. */
int spool_folder_renew(struct spool_folder *folder);

#endif
