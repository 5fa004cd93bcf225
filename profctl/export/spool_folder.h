/* The folder of a spool: it is made where it is missing, and one exporter has it at a time. One
 * thread. */
#ifndef PROFD_PROFCTL_SPOOL_FOLDER_H
#define PROFD_PROFCTL_SPOOL_FOLDER_H

#include <stdbool.h>

struct spool_folder {
    char *path;    /* owned */
    int directory; /* descriptors; below 0: none */
    int lock;
};

/* 0, -EWOULDBLOCK when another exporter has the folder, or another negative errno. FOLDER needs
 * spool_folder_close() in any case. */
int spool_folder_open(const char *path, struct spool_folder *folder);
void spool_folder_close(struct spool_folder *folder);

/* Whether somebody removed the folder since it was opened. */
bool spool_folder_is_gone(const struct spool_folder *folder);

/* Opens another folder of that path in place of this one. What spool_folder_open() says; on an
 * error FOLDER stays as it is. */
int spool_folder_renew(struct spool_folder *folder);

#endif
