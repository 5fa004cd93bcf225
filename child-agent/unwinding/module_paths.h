/* The paths of modules, each stored once and never freed: a library that comes and goes takes no
 * more memory, and a path stays valid for everyone who holds it.
 *
 * Memory comes from mmap, in blocks. One thread or handler at a time. */
#ifndef PROFD_AGENT_MODULE_PATHS_H
#define PROFD_AGENT_MODULE_PATHS_H

#include <stddef.h>

struct path_block;

/* Zeroed: empty. */
struct module_paths {
    struct path_block *newest;
};

/* Returns a permanent, terminated copy of the BYTES at PATH; the same pointer for the same path.
 * Returns NULL if there is no memory, or if it is longer than any path. */
char *module_paths_keep(struct module_paths *paths, const char *path, size_t bytes);

void module_paths_free(struct module_paths *paths);

#endif
