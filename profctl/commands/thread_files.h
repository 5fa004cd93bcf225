/* File names for each thread of a profile: "out.cpuprofile" becomes "out-PID-TID.cpuprofile". One
 * thread. */
#ifndef PROFD_PROFCTL_THREAD_FILES_H
#define PROFD_PROFCTL_THREAD_FILES_H

#include <limits.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/profile/profile_walk.h"

/* Initialised by thread_files_init(). */
struct thread_files {
    const char *path, *ending; /* borrowed */
    struct failure_latch latch;
    struct unique_strings names; /* given so far; a pair of pid and tid may occur more than once */
    struct unique_strings numbers; /* pairs of pid and tid, as bytes */
    struct mapped_array counts;    /* … and uint32_t: how many threads had each */
    char first[PATH_MAX];
    char name[PATH_MAX]; /* the last one */
};

/* Initializes FILES for PATH, which ends in ENDING, in ENDING and ".gz", or in neither. */
void thread_files_init(struct thread_files *files, const char *path, const char *ending);
void thread_files_fini(struct thread_files *files);

/* Stores a unique name for THREAD in *NAME, valid until the next call. Returns 0, -ENOMEM or
 * -ENAMETOOLONG. */
int thread_files_name(struct thread_files *files, const struct profile_thread *thread,
                      const char **name);

/* Removes the files of the first COUNT names, after a failure. */
void thread_files_remove(const struct thread_files *files, uint32_t count);

#endif
