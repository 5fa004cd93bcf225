/* Where profd's other files are: next to profd itself, whatever the prefix is.
 *
 * The build tree has the same layout as an installation: bin/, libexec/, and the folder for
 * libraries that make was given (LIBDIR), which is lib/ or, in a package, the multiarch folder. */
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

/* Derives the paths from PROGRAM, the path of profd itself. Returns 0, -ENAMETOOLONG, or -EINVAL if
 * there is no folder above bin/. Pure. */
int install_paths_from(const char *program, struct install_paths *out);

/* The same from /proc/self/exe. Does not check whether the files exist. */
int install_paths_find(struct install_paths *out);

/* Checks that the files without which profd cannot work are there. Returns 0, or a negative errno
 * with *MISSING pointing to the path in PATHS that cannot be used. profctl is not checked: only
 * triggers need it. */
int install_paths_check(const struct install_paths *paths, const char **missing);

#endif
