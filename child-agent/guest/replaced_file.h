/* A file that takes the place of an older one only when it is whole. No malloc. */
#ifndef PROFD_AGENT_REPLACED_FILE_H
#define PROFD_AGENT_REPLACED_FILE_H

#include <limits.h>

struct replaced_file {
    int fd; /* write here */
    char path[PATH_MAX], temporary[PATH_MAX];
};

/* Whether a file may be made at PATH: its folder is there and may be written to, and what stands at
 * PATH, if anything, is a regular file. 0 or -errno; -EINVAL for what is none. */
int replaced_file_check(const char *path);

/* Begins a file that is to stand at PATH. 0 or -errno, as above. */
int replaced_file_begin(struct replaced_file *file, const char *path);

/* Puts it in place. 0, or -errno: then it is gone, and what stood at the path still stands. */
int replaced_file_commit(struct replaced_file *file);

/* Lets it go. */
void replaced_file_abandon(struct replaced_file *file);

#endif
