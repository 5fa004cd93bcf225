/* The folder of a spool. It is created if it is missing, and used by one exporter at a time. One
 * thread. */
#ifndef PROFD_PROFCTL_SPOOL_FOLDER_H
#define PROFD_PROFCTL_SPOOL_FOLDER_H

#include <stdbool.h>

struct spool_folder {
    char *path;    /* owned */
    int directory; /* descriptor, as the next; negative: none */
    int lock;
};

/* Opens and locks the folder. Returns 0, -EWOULDBLOCK if another exporter uses it, or another
 * negative errno. FOLDER needs spool_folder_close() in any case. */
int spool_folder_open(const char *path, struct spool_folder *folder);
void spool_folder_close(struct spool_folder *folder);

/* Returns whether the folder was removed since it was opened. */
bool spool_folder_is_gone(const struct spool_folder *folder);

/* Opens a new folder at the same path in place of this one. Returns the same as
 * spool_folder_open(); on an error FOLDER stays unchanged. */
int spool_folder_renew(struct spool_folder *folder);

#endif
