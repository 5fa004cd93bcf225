/* A file that replaces an older one only when it is complete. Does not use malloc. */
#ifndef PROFD_AGENT_REPLACED_FILE_H
#define PROFD_AGENT_REPLACED_FILE_H

#include <limits.h>

struct replaced_file {
    int fd; /* write here */
    char path[PATH_MAX], temporary[PATH_MAX];
};

/* Checks whether a file may be created at PATH: its folder exists and is writable, and anything at
 * PATH is a regular file. Returns 0 or -errno; -EINVAL if PATH is something else than a regular
 * file. */
int replaced_file_check(const char *path);

/* Begins a file that will be placed at PATH. Returns 0 or -errno, as replaced_file_check(). */
int replaced_file_begin(struct replaced_file *file, const char *path);

/* Puts the file in place. Returns 0, or -errno; the new file is then deleted, and the old one at
 * the path remains. */
int replaced_file_commit(struct replaced_file *file);

/* Deletes the unfinished file. */
void replaced_file_abandon(struct replaced_file *file);

#endif
