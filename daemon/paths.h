/* Where profd's own other files are: beside it, wherever the prefix is.
 *
 * The build tree has the same layout as an installation: bin/, lib/, libexec/. */
#ifndef PROFD_DAEMON_PATHS_H
#define PROFD_DAEMON_PATHS_H

#include <limits.h>

struct install_paths {
    char library[PATH_MAX];      /* lib/libprofd.so, preloaded into supervised commands */
    char malloc_hooks[PATH_MAX]; /* lib/libprofd-malloc.so, too if a session asks for allocations */
    char salvage[PATH_MAX];      /* libexec/profd-salvage */
    char keeper[PATH_MAX];       /* libexec/profd-keeper */
    char profctl[PATH_MAX];      /* bin/profctl, which writes the captures of triggers */
};

/* From the path of the program itself. -ENAMETOOLONG, or -EINVAL when it has no folder above bin/.
 * Pure. */
int install_paths_from(const char *program, struct install_paths *out);

/* From /proc/self/exe. Does not look whether the files exist. */
int install_paths_find(struct install_paths *out);

#endif
