/* The paths of modules, each once and for good: a library that comes and goes takes no more memory,
 * and a path remains valid for every holder of it.
 *
 * Memory from mmap, in blocks. One thread or handler at a time. */
#ifndef PROFD_AGENT_MODULE_PATHS_H
#define PROFD_AGENT_MODULE_PATHS_H

#include <stddef.h>

struct path_block;

/* Zeroed: empty. */
struct module_paths {
    struct path_block *newest;
};

/* The kept copy of the BYTES at PATH, terminated; the same pointer for the same path. NULL when
 * there is no memory for it, or when it is longer than any path. */
char *module_paths_keep(struct module_paths *paths, const char *path, size_t bytes);

void module_paths_free(struct module_paths *paths);

#endif
