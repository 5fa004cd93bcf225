/* Names of files, one for each thread of a profile: "out.cpuprofile" becomes
 * "out-PID-TID.cpuprofile". One thread. */
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
    struct unique_strings names;   /* that were given: numbers of threads come back */
    struct unique_strings numbers; /* pairs of those, as bytes … */
    struct mapped_array counts;    /* … and uint32_t, how many threads had each */
    char first[PATH_MAX];
    char name[PATH_MAX]; /* the last one */
};

/* PATH, which ends in ENDING, in that and ".gz", or in neither. */
void thread_files_init(struct thread_files *files, const char *path, const char *ending);
void thread_files_fini(struct thread_files *files);

/* A name for THREAD that no other has, valid until the next call. 0, -ENOMEM or -ENAMETOOLONG. */
int thread_files_name(struct thread_files *files, const struct profile_thread *thread,
                      const char **name);

/* Removes the files of the first COUNT names, where the set will not be whole. */
void thread_files_remove(const struct thread_files *files, uint32_t count);

#endif
