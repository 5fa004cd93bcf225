/* The files of the kernel that say where threads sleep. A thread that has a table of descriptors of
 * its own keeps some of them open: opening one costs more than reading it. For that thread only. */
#ifndef PROFD_AGENT_LOOK_FILES_H
#define PROFD_AGENT_LOOK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "profd_threads.h"

enum { LOOK_FILES_MOST = 32 };

/* Begins as zeros: nothing is kept. Those that are open end with their table. */
struct look_files {
    bool are_kept;
    struct look_file {
        struct profd_thread_id thread; /* 0: none */
        int fd;
    } files[LOOK_FILES_MOST];
};

/* Called by a thread whose descriptors are its own: files are kept from now on, if the limit of
 * descriptors leaves many for others. */
void look_files_keep(struct look_files *files);

/* Reads at most BYTES of what the kernel says of THREAD, a thread of this process. Returns how many
 * were read, or a negative errno: it is gone, the kernel does not say, or no descriptor is left. */
ssize_t look_files_read(struct look_files *files, struct profd_thread_id thread, char *out,
                        size_t bytes);

#endif
