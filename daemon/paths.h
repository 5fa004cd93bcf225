/* Where profd's own other files are: beside it, wherever the prefix is.
 *
 * The build tree has the same layout as an installation: bin/, libexec/, and the folder of
 * libraries that make was told (LIBDIR), which is lib/ or, in a package, that of the machine's
 * kind. */
#ifndef PROFD_DAEMON_PATHS_H
#define PROFD_DAEMON_PATHS_H

#include <limits.h>

struct install_paths {
    char library[PATH_MAX];      /* the agent, preloaded into supervised commands */
    char malloc_hooks[PATH_MAX]; /* preloaded too if a session asks for allocations */
    char salvage[PATH_MAX];      /* libexec/profd-salvage */
    char keeper[PATH_MAX];       /* libexec/profd-keeper */
    char profctl[PATH_MAX];      /* bin/profctl, which writes the captures of triggers */
};

/* From the path of the program itself. -ENAMETOOLONG, or -EINVAL when it has no folder above bin/.
 * Pure. */
int install_paths_from(const char *program, struct install_paths *out);

/* From /proc/self/exe. Does not look whether the files exist. */
int install_paths_find(struct install_paths *out);

/* Whether what profd cannot do without is there: 0, or -errno with *MISSING a view of the path that
 * cannot be used. profctl is not looked at: only triggers need it. */
int install_paths_check(const struct install_paths *paths, const char **missing);

#endif
